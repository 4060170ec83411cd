import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { declaredStatements } from '../../src/database/statement.ts';

/**
 * Importing this file makes pg refuse statements of the service that are not declared (database/statement.ts), in this
 * process. Statements of tests are not checked: what counts is the file that calls `query`.
 */

const ROOT = resolve(import.meta.dirname, '../../..');

/** Files and packages whose statements are not declared, and why. */
export const EXEMPT: Readonly<Record<string, string>> = {
  'service/src/dashboard/auth/database.ts': 'better-auth has its own statements, which Kysely writes',
  'service/src/database/migrate.ts': 'a migration is a file of SQL, which runs once',
  'svcd/src/backup/schema.ts': 'a restore runs the migrations, which are files of SQL',
  'graphile-worker': 'it has its own tables, and its statements run in the background',
};

/** They pass on the statements of others. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'packages/turns/src/lane.ts',
  'packages/telemetry/src/tracing.ts',
  'service/src/dashboard/requests/connections.ts',
]);
const OF_THE_SERVICE = /^(?:service|svcd)\/src\/(?!.*\.(?:test|fixture)\.ts$)/;
const PACKAGE = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const FRAMES = 30;

/** Whether a caller is a package, except those of the tests. A file has the name extension `.ts`. */
const isLibrary = (caller: string): boolean => !caller.endsWith('.ts') && !/^@?(?:vitest|tiny)/.test(caller);

const known = new Set<string>();

/** Whether a text is declared. */
function isDeclared(text: string): boolean {
  if (known.has(text)) return true;
  for (const { names } of declaredStatements.values()) if (names.has(text)) known.add(text);
  return known.has(text);
}

/**
 * The file or package that calls `query`. Undefined: the pool, which passes on a statement that it got. It may do so in
 * the course of another caller's work, which has returned a connection.
 */
function callerOf(): string | undefined {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  Error.prepareStackTrace = (_, sites) => sites;
  const holder: { stack?: readonly NodeJS.CallSite[] } = {};
  Error.captureStackTrace(holder, callerOf);
  const { stack = [] } = holder;
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  let wrapper: string | undefined;
  let nearest = true;
  for (const site of stack) {
    const name = site.getFileName() ?? '';
    const path = name.startsWith('file:') ? fileURLToPath(name) : name;
    if (!path.startsWith('/') || path === import.meta.filename) continue;
    const ofPackage = PACKAGE.exec(path)?.[1];
    if (nearest && ofPackage === 'pg-pool') return undefined;
    nearest = false;
    if (ofPackage !== undefined && /^pg(?:-|$)/.test(ofPackage)) continue;
    const caller = ofPackage ?? relative(ROOT, path);
    if (!WRAPPERS.has(caller)) return wrapper !== undefined && ofPackage !== undefined ? wrapper : caller;
    wrapper = caller;
  }
  return wrapper;
}

/** What was refused: the file, and the statement. */
export const refused: string[] = [];

function check(statement: unknown): void {
  const text = typeof statement === 'string' ? statement : Object(statement).text;
  if (typeof text !== 'string' || isDeclared(text)) return;
  const caller = callerOf();
  if (caller === undefined || caller in EXEMPT) return;
  if (!OF_THE_SERVICE.test(caller) && !WRAPPERS.has(caller) && !isLibrary(caller)) return;
  const message = `${caller} runs a statement that is not declared (database/statement.ts): ${text}`;
  refused.push(message);
  process.stderr.write(`${message}\n`);
  throw new Error(message);
}

for (const { prototype } of [pg.Client, pg.Pool]) {
  const { query } = prototype;
  prototype.query = function checked(this: unknown, ...values: unknown[]) {
    check(values[0]);
    return Reflect.apply(query, this, values);
  } as typeof query;
}
