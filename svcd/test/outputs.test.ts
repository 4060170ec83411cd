import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { findEmbedded } from '@svc/embedded-postgres';
import { dataDirectory, waitFor } from '@svc/embedded-postgres/testing';
import { bootstrapWorkspace } from '@svc/service/harness/dashboard-http.ts';
import {
  FULL_DISK,
  runSvcd,
  runSvcdOnFullDisk,
  type SvcdProcess,
  spawnSvcd,
} from '@svc/service/harness/process.ts';
import { freePort } from '@svc/service/server/listen';
import { describe, expect, test } from 'vitest';

const dataDir = await dataDirectory();
const env = { SVC_DATA_DIR: dataDir };
const workspaceId = await bootstrapWorkspace(env);
/** Their text is longer than the buffer of a pipe. */
const RECORDS = 2_000;
const companies = Array.from({ length: RECORDS }, (_, i) => `{"id":"c${i}","name":"${'x'.repeat(100)}"}\n`);
const imported = await runSvcd(
  ['import', 'companies', '-', '--format', 'ndjson', '--workspace', workspaceId],
  { env, input: companies.join('') },
);
const EXPORT = ['export', 'companies', '--format', 'ndjson', '--workspace', workspaceId] as const;
const server = (): Promise<unknown> => findEmbedded(dataDir);

/** Starts svcd, and closes both of its outputs without reading them. */
function unread(args: readonly string[], settings: Readonly<Record<string, string>> = {}): SvcdProcess {
  const svcd = spawnSvcd(args, { env: { ...env, ...settings }, resultIsSecret: true });
  svcd.child.stdout?.destroy();
  svcd.child.stderr?.destroy();
  return svcd;
}

describe('when nobody reads its output', () => {
  test.each([['--help'], ['doctor'], ['verify'], EXPORT])(
    'svcd %s ends with code 0, and stops the database that it has started',
    async (...args) => {
      expect(imported.code).toBe(0);
      expect(await unread(args).ended).toEqual({ code: 0, signal: null });
      expect(await server()).toBeUndefined();
    },
  );

  test.each([
    ['SIGTERM', '1'],
    ['SIGHUP', '2'],
  ] as const)('svcd start continues to serve, and stops normally on %s', async (signal, workers) => {
    const port = await freePort('127.0.0.1');
    const settings = { SVC_PORT: String(port), SVC_WORKERS: workers, SVC_LOG_LEVEL: 'debug' };
    const service = unread(['start'], settings);
    await waitFor(async () => {
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    });
    // Each request writes a line to the log.
    for (let i = 0; i < 3; i++) await fetch(`http://127.0.0.1:${port}/v1/audits`);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect(await service.stop(signal)).toEqual({ code: 0, signal: null });
    expect(await server()).toBeUndefined();
  });
});

test('svcd start continues to serve while the reader of its log waits, and then writes the lines', async () => {
  const port = await freePort('127.0.0.1');
  const settings = { ...env, SVC_PORT: String(port), SVC_WORKERS: '1', SVC_LOG_LEVEL: 'debug' };
  const service = spawnSvcd(['start'], { env: settings });
  await waitFor(async () => {
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  });
  service.child.stdout?.pause();
  const ids: string[] = [];
  // Their lines are longer than the buffers of both processes.
  for (let i = 0; i < RECORDS; i++) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/audits`);
    expect(answer.status).toBe(401);
    ids.push(answer.headers.get('request-id') ?? '');
    await answer.arrayBuffer();
  }
  service.child.stdout?.resume();
  // No other line brings them.
  await waitFor(() => expect(service.stdout().includes(ids.at(-1) ?? '')).toBe(true));
  const lines = service.stdout().trim().split('\n');
  const answered = lines.map((line) => (JSON.parse(line) as { readonly reqId?: string }).reqId);
  expect(answered.filter((id) => id !== undefined && ids.includes(id))).toEqual(ids);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

// Only Linux has this file.
describe.runIf(existsSync(FULL_DISK))('when the disk is full', () => {
  test.each([
    [1, ['--help']],
    [1, ['export', '--help']],
    [1, ['doctor']],
    [1, ['doctor', '--json']],
    [2, ['verify']],
    [1, EXPORT],
    [2, ['import', 'companies', '/dev/null', '--format', 'ndjson', '--workspace', workspaceId]],
    [1, ['bootstrap', '--email', 'full@example.com', '--workspace', 'Full']],
  ] as const)(
    'a result that cannot be written ends with code %i and one line: svcd %s',
    async (code, args) => {
      const settings = { ...env, SVC_OWNER_PASSWORD: 'a password that nobody needs' };
      const ended = await runSvcdOnFullDisk(args, settings);
      expect(ended.code).toBe(code);
      expect(ended.stderr.trim().split('\n').at(-1)).toMatch(
        /^svcd: standard output cannot be written: .*ENOSPC/,
      );
      expect(ended.stderr).not.toMatch(/^\s+at /m);
      expect(await server()).toBeUndefined();
    },
  );

  test('refused lines that cannot be written end the import with code 2 and one line', async () => {
    const { code, stdout, stderr } = await runSvcd(
      ['import', 'companies', '-', '--format', 'ndjson', '--workspace', workspaceId, '--rejects', FULL_DISK],
      { env, input: '{}\n'.repeat(10_000) },
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^svcd: \/dev\/full cannot be written: .*ENOSPC.*\n$/);
    expect(await server()).toBeUndefined();
  });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  '%s ends a command that waits, which stops the database that it has started',
  async (signal, code) => {
    const svcd = spawnSvcd(EXPORT, { env });
    await once(svcd.child.stdout ?? svcd.child, 'data');
    // As if a person looked at the first page in a pager.
    svcd.child.stdout?.pause();
    expect(await svcd.stop(signal)).toEqual({ code, signal: null });
    expect(await server()).toBeUndefined();
  },
);
