import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Fetch } from '@svc/sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fits, RESULT_MAX_CHARACTERS, readBounded } from '../../src/cli/mcp/bounded.ts';
import { cli, INITIALIZE, records } from './cli.ts';

test.each([
  [6, 9_000, 100],
  [12, 4_300, 100],
  [7, 7_200, 20],
])(
  'a page that has only %i items of %i characters is read at most twice again',
  async (items, characters, limit) => {
    const all = Array.from({ length: items }, () => 'x'.repeat(characters));
    expect(items * characters).toBeGreaterThan(RESULT_MAX_CHARACTERS);
    let requests = 0;
    const page = await readBounded({ limit }, async (asked) => {
      requests += 1;
      return { data: all.slice(0, Number(asked.limit)) };
    });
    expect(fits(page)).toBe(true);
    expect(page).toMatchObject({ data: expect.arrayContaining(all.slice(0, 1)) });
    expect(requests).toBeLessThanOrEqual(3);
  },
);

test('an item that is too long for a result has only its id, and those after it are read', async () => {
  const all = ['a', 'b', 'c'].map((id) => ({ id, text: 'x'.repeat(id === 'b' ? 60_000 : 20_000) }));
  const readFrom = (start: number) =>
    readBounded({ limit: 20 }, async ({ limit, fields }) => {
      const items = all.slice(start, start + Number(limit));
      return { data: fields === 'id' ? items.map(({ id }) => ({ id })) : items };
    });
  expect(await readFrom(0)).toEqual({ data: [all[0]] });
  expect(await readFrom(1)).toEqual({ data: [{ id: 'b' }] });
  expect(await readFrom(2)).toEqual({ data: [all[2]] });
});

/** Starts `svc mcp` with fake time and a service that answers only the start, calls tools, and waits for their requests. */
async function callHanging(...calls: readonly object[]) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const me = { key: { name: 'Agent', access: 'read' }, workspace: { name: 'Acme' }, company: null };
  let waiting = 0;
  const fetch: Fetch = async (url) => {
    if (new URL(url).pathname === '/v1/me') return Response.json(me);
    waiting += 1;
    return new Promise<never>(() => undefined);
  };
  const stdin = new PassThrough();
  const result = cli(['mcp'], { fetch, stdin, env: { SVC_API_KEY: `svc_test_${'a'.repeat(32)}` } });
  const sent = calls.map((params, i) => ({ jsonrpc: '2.0', id: i + 1, method: 'tools/call', params }));
  for (const message of [INITIALIZE, ...sent]) stdin.write(`${JSON.stringify(message)}\n`);
  await expect.poll(() => waiting).toBe(calls.length);
  return { stdin, result };
}

test('if the service does not answer, a call fails with timeout before clients give up, also one that waits', async () => {
  const waiting = { name: 'list_changes', arguments: { after: 'chg_0', wait: 30 } };
  const { stdin, result } = await callHanging({ name: 'list_audits' }, waiting);
  await vi.advanceTimersByTimeAsync(55_000);
  stdin.end();
  const failed = { isError: true, content: [{ text: expect.stringContaining('"timeout"') }] };
  const [, ...answers] = records((await result).stdout);
  expect(answers).toMatchObject([1, 2].map((id) => ({ id, result: failed })));
});

test('at the end of the input, a call that is not answered ends after 5 seconds', async () => {
  const { stdin, result } = await callHanging({ name: 'list_audits' });
  stdin.end();
  await once(stdin, 'end');
  await vi.advanceTimersByTimeAsync(5_000);
  const { code, stdout } = await result;
  expect([code, records(stdout).map(({ id }) => id)]).toEqual([0, [0]]);
});
