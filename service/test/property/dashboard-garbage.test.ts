import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { logList } from '../../src/dashboard/log/log-list.ts';
import { parametersOf } from '../../src/list/definition.ts';
import { createTestDashboard, type Visitor } from '../harness/dashboard.ts';
import { createTestService } from '../harness/service.ts';

const PREFIX = '/dashboard/api';
const CREATED = 'fastify.initialization';
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
const RUNS = 4;

interface Route {
  readonly method: (typeof METHODS)[number];
  readonly path: string;
}

const routes: Route[] = [];
let owner: Visitor & { readonly workspaceId: string };

beforeAll(async () => {
  const watch = (message: unknown): void => {
    (message as { readonly fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url }) => {
      // The endpoints of sign-in would end the session.
      if (!url.startsWith(PREFIX) || url.startsWith(`${PREFIX}/auth/`)) return;
      const known = METHODS.find((one) => one === method);
      if (known !== undefined) routes.push({ method: known, path: url.slice(PREFIX.length) });
    });
  };
  subscribe(CREATED, watch);
  const service = await createTestService();
  unsubscribe(CREATED, watch);
  owner = await createTestDashboard(service).owner();
});

const text = fc.oneof(
  { arbitrary: fc.constantFrom('\0', 'a\0', '%', '%00', '\u{ffff}', "'", '-1', '1e9', 'null'), weight: 2 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 300 }).map((any) => any.toWellFormed()), weight: 1 },
);
const parameter = fc.constantFrom(
  ...new Set([
    ...parametersOf(logList),
    'search',
    'ids',
    'range',
    'companyId',
    'days',
    'format',
    'status',
    '\0',
  ]),
);
const encoded = (value: string): string => encodeURIComponent(value);
const query = fc.oneof(
  fc.tuple(parameter, text).map(([name, value]) => `${encoded(name)}=${encoded(value)}`),
  fc.string({ unit: fc.constantFrom(...'ab019_-%&=?/;:.+[]~!$()*,@'), maxLength: 80 }),
);

/** The path with values for its parameters: existing ones for the first `real` parameters, garbage for the others. */
function filled(path: string, real: number, garbage: string): string {
  const values: Readonly<Record<string, string>> = { workspaceId: owner.workspaceId, resource: 'companies' };
  let seen = 0;
  return path.replace(/:(\w+)/g, (_, name: string) =>
    encoded(seen++ < real ? (values[name] ?? garbage) : garbage),
  );
}

describe('no endpoint of the dashboard fails', () => {
  test('for any query', async () => {
    const reads = routes.filter(({ method }) => method === 'GET');
    expect(reads.map(({ path }) => path)).toContain('/workspaces/:workspaceId/company-names');
    for (const { method, path } of reads) {
      // Each parameter with text that PostgreSQL cannot contain, and then with any text.
      const nuls = ['search', 'ids', ...parametersOf(logList)].map((name) => `${name}=%00`);
      const sample = [...nuls, ...fc.sample(query, { numRuns: 4 * RUNS })];
      for (const raw of sample) {
        const url = `${filled(path, Number.POSITIVE_INFINITY, 'none')}?${raw}`;
        const answer = await owner.send(method, url);
        expect(answer.status, url).toBeLessThan(500);
      }
    }
  });

  test('for any id in its path', async () => {
    const withIds = routes.filter(({ path }) => path.includes(':'));
    for (const { method, path } of withIds) {
      for (const garbage of ['\0', ...fc.sample(text, { numRuns: RUNS })]) {
        for (const real of [0, 1, 2]) {
          const url = filled(path, real, garbage === '' ? ' ' : garbage);
          const answer = await owner.send(method, url, method === 'GET' ? undefined : {});
          expect(answer.status, `${method} ${url}`).toBeLessThan(500);
          expect(answer.status === 204 || answer.json() !== undefined, url).toBe(true);
        }
      }
    }
  });
});
