import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createTestService } from '@svc/service/harness/service.ts';
import { listen } from '@svc/service/harness/socket.ts';
import { expect, test } from 'vitest';
import { INITIALIZE, records } from './cli.ts';
import { MAIN } from './mcp-client.ts';

const service = await createTestService();
const address = await listen(service);
const workspaceId = await service.workspace();
const envOf = (token: string) => ({
  PATH: String(process.env['PATH']),
  SVC_API_KEY: token,
  SVC_BASE_URL: address,
});

test('the process ends when its input ends, and when it is told to', async () => {
  const token = await service.token(workspaceId);
  for (const end of ['input', 'SIGTERM'] as const) {
    const child = spawn(process.execPath, [MAIN, 'mcp'], { env: envOf(token) });
    const closed = once(child, 'close');
    await once(child.stderr, 'data');
    if (end === 'input') child.stdin.end();
    else child.kill(end);
    expect((await closed)[0]).toBe(end === 'input' ? 0 : 130);
  }
});

test('at the end of its input, the process first answers the calls that run', async () => {
  const token = await service.token(workspaceId, { mode: 'live', access: 'write' });
  const child = spawn(process.execPath, [MAIN, 'mcp', '--allow-writes'], { env: envOf(token) });
  const closed = once(child, 'close');
  const params = { name: 'create_company', arguments: { id: 'com_last', name: 'Last' } };
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  const answers = records(await text(child.stdout));
  expect(answers).toMatchObject([
    { id: 0, result: { serverInfo: { name: 'svc' } } },
    { id: 1, result: { content: [{ text: expect.stringContaining('com_last') }] } },
  ]);
  expect((await closed)[0]).toBe(0);
});

test('--allow-writes with a key that cannot write, and a wrong key, are refused before a client is served', async () => {
  const wrong = `svc_test_${'x'.repeat(32)}`;
  for (const [token, args, code, message] of [
    [await service.token(workspaceId, { access: 'read' }), ['--allow-writes'], 2, /no write access/],
    [wrong, [], 3, /invalid_key/],
  ] as const) {
    const child = spawn(process.execPath, [MAIN, 'mcp', ...args], { env: envOf(token) });
    const [[exit], stdout, stderr] = await Promise.all([
      once(child, 'close'),
      text(child.stdout),
      text(child.stderr),
    ]);
    expect([exit, stdout]).toEqual([code, '']);
    expect(stderr).toMatch(message);
  }
});
