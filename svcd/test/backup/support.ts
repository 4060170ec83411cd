import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { bootstrapWorkspace, type IssuedKey } from '@svc/service/harness/dashboard-http.ts';
import { runSvcd, type ServiceProcess } from '@svc/service/harness/process.ts';
import { bearer, type RunningService } from '@svc/service/harness/running-service.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect } from 'vitest';

const BATCH = 100;
const SVCD = join(import.meta.dirname, '../../src/svcd.ts');

type Settings = Readonly<Record<string, string>>;

export const dataDirOf = (env: Settings): string => env['SVC_DATA_DIR'] ?? '';

export const newDataDir = async (): Promise<Settings> => ({
  SVC_DATA_DIR: join(await temporaryDirectory(), 'data'),
});

/** The result of a command, which must succeed. */
export async function expectDone(
  command: ReturnType<typeof runSvcd>,
): Promise<Awaited<ReturnType<typeof runSvcd>>> {
  const done = await command;
  expect([done.code, done.stderr]).toEqual([0, expect.anything()]);
  return done;
}

/** Runs a script of bash, in which `svcd` is the program. */
export async function bash(script: string, env: Settings) {
  const program = `svcd() { "${process.execPath}" "${SVCD}" "$@"; }; set -o pipefail; ${script}`;
  const child = spawn('bash', ['-c', program], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { stdout, stderr, code: code as number | null };
}

/** A workspace with a company and audits, to which nobody else writes. */
export async function quietWorkspace(env: Settings, audits: number): Promise<string> {
  const workspaceId = await bootstrapWorkspace(env, 'quiet@example.com');
  const load = (resource: string, input: string) =>
    expectDone(
      runSvcd(['import', resource, '-', '--workspace', workspaceId, '--format', 'ndjson'], { env, input }),
    );
  await load('companies', '{"id":"acme","name":"Ac\\tme \\\\N"}\n');
  const audit = (index: number): string =>
    `{"id":"aud_${index}","companyId":"acme","headlineScore":${index % 100},"completedAt":"2026-03-01T09:30:00Z"}\n`;
  await load('audits', Array.from({ length: audits }, (_, index) => audit(index)).join(''));
  return workspaceId;
}

/** All companies and audits of a workspace, as `svcd export` writes them. */
export async function exportOf(env: Settings, workspaceId: string): Promise<string> {
  const exports = await Promise.all(
    ['companies', 'audits'].map((resource) =>
      expectDone(
        runSvcd(['export', resource, '-', '--workspace', workspaceId, '--format', 'ndjson'], { env }),
      ),
    ),
  );
  return exports.map(({ stdout }) => stdout).join('');
}

export const ask = (
  { url }: ServiceProcess,
  path: string,
  { token }: IssuedKey,
  body?: object,
): Promise<Response> =>
  fetch(`${url}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { ...bearer(token), 'content-type': 'application/json' },
  });

/** Writes and reads until `stop`, which returns how often each status was answered. */
export function keepWriting({ service, dashboard, workspaceId, key: reader }: RunningService): {
  readonly stop: () => Promise<ReadonlyMap<number, number>>;
} {
  let stopped = false;
  const statuses = new Map<number, number>();
  const work = (async () => {
    const key = await dashboard.createKey(workspaceId, { access: 'write' });
    await ask(service, '/v1/companies', key, { id: 'busy', name: 'Busy' });
    while (!stopped) {
      const audit = { companyId: 'busy', headlineScore: 50, completedAt: '2026-03-01T09:30:00Z' };
      const answers = await Promise.all([
        ask(service, '/v1/audits/batch', key, { data: Array.from({ length: BATCH }, () => audit) }),
        ask(service, '/v1/audits?limit=50', reader),
      ]);
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await work;
      return statuses;
    },
  };
}
