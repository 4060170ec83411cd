import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { runSvcd, type SvcdOptions, spawnSvcd } from '../harness/process.ts';
import { descendantsOf } from '../history/processes.ts';
import type { Ask } from './ask.ts';
import { RECORDED_EMAIL, RECORDED_PASSWORD } from './recorded.ts';

type Env = Readonly<Record<string, string>>;

const COMPANY = 'com_large';
const KIB_PER_MIB = 1024;
const FIRST_AUDIT_MS = Date.UTC(2025, 0, 1);
const AUDIT_INTERVAL_MS = 31_000;
const WRITES_BEFORE_END = 5;
const MENTION = {
  companyId: COMPANY,
  source: 'Example News',
  url: 'https://news.example/last',
  title: 'Written last',
  excerpt: '',
  sentiment: 'neutral',
  publishedAt: '2026-03-01T09:30:00Z',
};
/** Lines that are written to an import at once. */
const CHUNK = 10_000;

/** The message of a release on standard error if its database is of a newer release. */
export const TOO_OLD =
  /^svcd: the database is newer than this program: it has migration \S+, this program knows \d+ \(up to \S+\)\. Start the newer program\.\n$/;

/** Creates a workspace of the owner with `svcd bootstrap`. Returns its id. */
export async function bootstrap(env: Env, name: string, program?: string): Promise<string> {
  const args = ['bootstrap', '--email', RECORDED_EMAIL, '--workspace', name, '--json'];
  const { code, stdout, stderr } = await runSvcd(args, { env, input: RECORDED_PASSWORD, ...given(program) });
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as { workspaceId: string }).workspaceId;
}

/** Imports a company and this many audits by `svcd import`. */
export async function importAudits(
  env: Env,
  workspaceId: string,
  audits: number,
  program?: string,
): Promise<void> {
  await importLines(
    env,
    workspaceId,
    'companies',
    [JSON.stringify({ id: COMPANY, name: 'Large', domain: null })],
    program,
  );
  await importLines(env, workspaceId, 'audits', auditLines(audits), program);
}

async function importLines(
  env: Env,
  workspaceId: string,
  resource: string,
  lines: Iterable<string>,
  program?: string,
): Promise<void> {
  const args = ['import', resource, '-', '--format', 'ndjson', '--workspace', workspaceId];
  const command = spawnSvcd(args, { env, openInput: true, ...given(program) });
  if (command.child.stdin === null) throw new Error('the import has no standard input');
  await pipeline(Readable.from(chunksOf(lines)), command.child.stdin);
  expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
}

function* auditLines(audits: number): Generator<string> {
  for (let n = 1; n <= audits; n++) {
    const completedAt = `${new Date(FIRST_AUDIT_MS + n * AUDIT_INTERVAL_MS).toISOString().slice(0, 19)}Z`;
    yield JSON.stringify({ companyId: COMPANY, headlineScore: (n * 37) % 101, completedAt });
  }
}

function* chunksOf(lines: Iterable<string>): Generator<string> {
  let chunk: string[] = [];
  for (const line of lines) {
    if (chunk.push(line) < CHUNK) continue;
    yield `${chunk.join('\n')}\n`;
    chunk = [];
  }
  yield `${chunk.join('\n')}\n`;
}

/** Creates mentions one after the other until one fails. `begun` rejects if one of the first fails. */
export function writeUntilFailure(
  ask: Ask,
  token: string,
): { readonly begun: Promise<void>; readonly ids: Promise<readonly string[]> } {
  const { promise: begun, resolve: begin, reject } = Promise.withResolvers<void>();
  const write = async (): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (;;) {
      const answer = await ask('/v1/mentions', { token, body: MENTION }).catch(() => undefined);
      if (answer?.status !== 201) {
        reject(new Error(`a mention was answered ${answer?.status} ${answer?.text}`));
        return ids;
      }
      ids.push(answer.json<{ id: string }>().id);
      if (ids.length === WRITES_BEFORE_END) begin();
    }
  };
  return { begun, ids: write() };
}

export const secondsSince = (begun: number): string => ((performance.now() - begun) / 1_000).toFixed(1);

/** The output of `svcd verify` and `svcd doctor` if they find nothing. Throws their findings. */
export async function expectClean(env: Env, url: string): Promise<void> {
  const verified = await runSvcd(['verify'], { env });
  expect(verified, verified.stdout).toMatchObject({ code: 0 });
  const port = new URL(url).port;
  const doctor = await runSvcd(['doctor', '--json'], { env: { ...env, SVC_PORT: port } });
  expect(doctor, doctor.stdout).toMatchObject({ code: 0 });
}

/** The resident memory of a process and those that it has started, without PostgreSQL, which ends with none of them. */
export async function memoryMibOf(pid: number): Promise<number> {
  const pids = [pid, ...(await descendantsOf(pid))];
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=,comm=', '-p', pids.join(',')]);
  const kib = stdout
    .split('\n')
    .filter((line) => !line.includes('postgres'))
    .reduce((sum, line) => sum + (Number.parseInt(line.trim(), 10) || 0), 0);
  return Math.round(kib / KIB_PER_MIB);
}

const given = (program: string | undefined): Pick<SvcdOptions, 'program'> =>
  program === undefined ? {} : { program };
