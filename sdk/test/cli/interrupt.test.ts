import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { createTestService } from '@svc/service/harness/service.ts';
import { listen } from '@svc/service/harness/socket.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, onTestFinished, test } from 'vitest';
import { createWebhookSecret } from '../../src/webhooks.ts';
import { fetchOf, IN_PROCESS_URL } from '../client.ts';
import { cli } from './cli.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');
/** The beginning of a line. It does not fit into the pipe, so all of it is written only when the command reads. */
const INPUT = 'x'.repeat(4 * 1024 * 1024);
const home = await temporaryDirectory();
const env = {
  ...process.env,
  SVC_API_KEY: `svc_test_${'k'.repeat(32)}`,
  SVC_BASE_URL: 'http://svc.invalid',
  SVC_WEBHOOK_SECRET: createWebhookSecret(),
  XDG_CONFIG_HOME: home,
  NODE_NO_WARNINGS: '1',
};

test.each([
  ['companies create --file -', 'SIGTERM'],
  ['companies update --file -', 'SIGINT'],
  ['companies delete --file -', 'SIGTERM'],
  ['request POST /v1/companies --data -', 'SIGINT'],
  ['webhooks verify', 'SIGTERM'],
  ['login', 'SIGINT'],
] as const)('svc %s that waits for more input ends with code 130 on the first %s', async (argv, signal) => {
  const child = spawn(process.execPath, [MAIN, ...argv.split(' ')], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  child.stdin.on('error', () => undefined);
  child.stdin.write(INPUT, () => child.kill(signal));
  expect(await closed).toEqual([130, null]);
});

test.each([
  ['create', '{"name":"Acme"}', '--idempotency-key'],
  ['update', '{"id":"com_a","name":"Acme"}', '--from-line'],
])(
  'svc companies %s whose output is closed before the end of its file fails',
  async (command, line, rest) => {
    const service = await createTestService();
    const workspaceId = await service.workspace();
    await seedRecords(service.pool, workspaceId, resourceNamed('companies'), [
      { id: 'com_a', createdAt: '2026-01-01T00:00:00Z' },
    ]);
    const token = await service.token(workspaceId, { access: 'write', mode: 'live' });
    const child = spawn(process.execPath, [MAIN, 'companies', command, '--file', '-'], {
      env: { ...env, SVC_API_KEY: token, SVC_BASE_URL: await listen(service) },
      stdio: 'pipe',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const closed = once(child, 'close');
    child.stdout.destroy();
    // The input does not end, so the second batch of 1,000 is never sent.
    child.stdin.on('error', () => undefined);
    child.stdin.write(`${line}\n`.repeat(1_500));
    const said = await text(child.stderr);
    expect(await closed).toEqual([1, null]);
    expect(said).toContain('svc: The output was closed before the end of the file.\n');
    expect(said).toContain(`repeat the command with ${rest} `);
  },
);

test('svc companies update names the --from-line that passes a broken line, and refuses one after the last record', async () => {
  const service = await createTestService();
  const workspaceId = await service.workspace();
  const ids = ['com_a', 'com_b', 'com_c'];
  const seeds = ids.map((id) => ({ id, createdAt: '2026-01-01T00:00:00Z' }));
  await seedRecords(service.pool, workspaceId, resourceNamed('companies'), seeds);
  const token = await service.token(workspaceId, { access: 'write' });
  const [first, second, last] = ids.map((id) => JSON.stringify({ id, name: 'New' }));
  const update = async (stdin: string, ...more: readonly string[]) => {
    const { code, stderr } = await cli(['companies', 'update', '--file', '-', ...more], {
      fetch: fetchOf(service.app),
      env: { SVC_API_KEY: token, SVC_BASE_URL: IN_PROCESS_URL, XDG_CONFIG_HOME: home },
      stdin,
    });
    return { code, stderr };
  };
  const lines = `${first}\n${second}\n{bad\n${last}\n`;
  const hint =
    'svc: to continue, correct line 3 and repeat the command with --from-line 3, or skip it with --from-line 4.\n';
  const broken = await update(lines);
  expect(broken.code).toBe(1);
  expect(broken.stderr).toContain(`svc: updated 2 companies.\n${hint}svc: Line 3 of standard input is not`);
  const rest = { code: 0, stderr: 'svc: updated 1 company.\n' };
  expect(await update(lines, '--from-line', '4')).toEqual(rest);
  expect(await update(`[${first},{bad},${last}]`, '--from-line', '3')).toEqual(rest);
  for (const [from, stdin] of [
    ['5', lines],
    ['3', `[${first},${last}]`],
  ] as const) {
    const after = await update(stdin, '--from-line', from);
    expect(after.code).toBe(2);
    expect(after.stderr).toContain(`--from-line ${from} is after the last record of standard input.`);
  }
  // Without records there is nothing to do, as ever.
  expect(await update('')).toEqual({ code: 0, stderr: 'svc: updated 0 companies.\n' });
});
