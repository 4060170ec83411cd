import {
  type RetryEvent,
  Svc,
  SvcApiError,
  SvcError,
  SvcNetworkError,
  type SvcOptions,
  SvcTimeoutError,
} from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { instantPauses } from '../client.ts';
import { begin, changeText, type OddServer, oddServer, type Respond } from './odd-server.ts';

const TOKEN = `svc_test_${'a'.repeat(32)}`;
const AFTER = 'chg_0';

interface Read {
  readonly ids: readonly string[];
  readonly error: unknown;
  readonly retries: readonly RetryEvent[];
  readonly pauses: readonly number[];
  readonly server: OddServer;
}

/** Reads a stream from a server until it throws, or has yielded so many changes. */
async function read(respond: Respond, count = 100, options: SvcOptions = {}): Promise<Read> {
  const server = await oddServer(respond);
  const retries: RetryEvent[] = [];
  const { pauses, timing } = instantPauses();
  const svc = new Svc({
    apiKey: TOKEN,
    baseUrl: server.url,
    onRetry: (event) => retries.push(event),
    ...options,
    timing: { ...timing, random: () => 0, ...options.timing },
  });
  const ids: string[] = [];
  let error: unknown;
  try {
    for await (const { id } of svc.changes.stream({ after: AFTER })) if (ids.push(id) === count) break;
  } catch (thrown) {
    error = thrown;
  }
  await expect.poll(server.open).toBe(0);
  return { ids, error, retries, pauses, server };
}

const json = (response: Parameters<Respond>[0], status: number, code: string, headers = {}) =>
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify({ error: { code, message: 'No.' } }));

describe('a stream of changes', () => {
  test('continues after its last complete change, however the server ends', async () => {
    const half = changeText('chg_3').slice(0, -1);
    const { ids, server, retries, error } = await read((response, _, index) => {
      if (index === 0) begin(response, changeText('chg_1')).end();
      else if (index === 1) response.destroy();
      else if (index === 2) begin(response, changeText('chg_2') + half).write('', () => response.destroy());
      else begin(response, changeText('chg_3'));
    }, 3);
    expect(error).toBeUndefined();
    expect(ids).toEqual(['chg_1', 'chg_2', 'chg_3']);
    expect(server.asked).toEqual([AFTER, 'chg_1', 'chg_1', 'chg_2']);
    expect(retries.map(({ failures }) => failures)).toEqual([1, 2, 1]);
    for (const { error: cause } of retries) expect(cause).toBeInstanceOf(SvcNetworkError);
  });

  test('continues at an id without data, and ignores an empty one', async () => {
    const { server } = await read((response, _, index) => {
      if (index === 0) begin(response, ': searched\nid: chg_7\n\nid\ndata\n\n'.replace('data\n', '')).end();
      else begin(response, changeText('chg_8'));
    }, 1);
    expect(server.asked).toEqual([AFTER, 'chg_7']);
  });

  test('gives up after its retries if a server only accepts connections and ends them', async () => {
    const { error, server } = await read((response) => begin(response, `id: ${AFTER}\n\n`).end());
    expect(error).toBeInstanceOf(SvcNetworkError);
    expect(server.asked).toEqual(Array(5).fill(AFTER));
  });

  test('never gives up if a proxy ends each idle connection after a minute', async () => {
    let nowMs = 0;
    const { ids, server } = await read(
      (response, _, index) => {
        nowMs += 60_000;
        begin(response, index < 12 ? `id: ${AFTER}\n\n: heartbeat\n\n` : changeText('chg_1'));
        if (index < 12) response.end();
      },
      1,
      { retries: 1, timing: { now: () => nowMs } },
    );
    expect([ids, server.asked.length]).toEqual([['chg_1'], 13]);
  });

  test('pauses for Retry-After, and for what the stream itself asks, at most a minute', async () => {
    const { pauses, error } = await read((response, _, index) => {
      if (index === 0) json(response, 429, 'rate_limited', { 'retry-after': '7' });
      else if (index === 1) begin(response, `retry: 3000\n${changeText('chg_1')}`).end();
      else if (index === 2) begin(response, `retry: ${'9'.repeat(400)}\n\n`).end();
      else begin(response, changeText('chg_2'));
    }, 2);
    expect(error).toBeUndefined();
    expect(pauses).toEqual([7_000, 3_000, 60_000]);
  });

  test.each([
    ['unavailable', 1],
    ['internal_error', 1],
    ['something_new', 0],
  ] as const)(
    'an event with the error %s ends the connection after the changes before it',
    async (code, again) => {
      const failure = `event: error\ndata: {"error":{"code":"${code}","message":"No."}}\n\n`;
      const { ids, error, server } = await read((response, _, index) => {
        if (index === 0) begin(response, `${changeText('chg_1')}${failure}${changeText('chg_9')}`);
        else json(response, 410, 'position_expired');
      });
      expect(ids).toEqual(['chg_1']);
      expect(error).toBeInstanceOf(SvcApiError);
      expect(error).toMatchObject({ code: again === 0 ? code : 'position_expired', message: 'No.' });
      expect(server.asked).toEqual([AFTER, 'chg_1'].slice(0, again + 1));
    },
  );

  test.each([
    ['bytes that are not UTF-8', Uint8Array.of(100, 97, 116, 97, 58, 0xff, 10, 10), 'it is not UTF-8'],
    ['data that is not JSON', 'data: {"id":\n\n', 'an event is not JSON'],
    ['data that is not a change', 'id: chg_5\ndata: {"type":"a.b"}\n\n', 'an event is not a change'],
    ['an error that is not an envelope', 'event: error\ndata: oh no\n\n', 'its error is not an envelope'],
  ])('asks again after the last complete change on %s', async (_, bytes, reason) => {
    const { error, server, retries } = await read((response, _request, index) => {
      if (index === 0) begin(response, changeText('chg_1')).end();
      else begin(response, bytes);
    });
    expect(error).toBeInstanceOf(SvcNetworkError);
    expect((error as Error).message).toBe(`The stream is damaged: ${reason}.`);
    expect(server.asked).toEqual([AFTER, ...Array(retries.length).fill('chg_1')]);
    expect(retries.length).toBeGreaterThanOrEqual(4);
  });

  test.each([
    ['a line', 'x'],
    ['an event', 'data: x\n'],
  ])('ends with an error when %s has no end', async (_, part) => {
    const block = part.repeat(100_000);
    const { error, retries } = await read((response) => {
      begin(response, '');
      const more = (): void => void response.write(block);
      response.on('drain', more);
      more();
    });
    expect(error).toBeInstanceOf(SvcError);
    expect((error as Error).message).toContain('more than 8 Mi characters');
    expect(retries).toEqual([]);
  });

  test.each([
    ['a page of a proxy', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
    ['no content', (response) => response.writeHead(204).end()],
  ] as readonly (readonly [string, Respond])[])('refuses %s', async (_, respond) => {
    const { error, retries } = await read(respond);
    expect((error as Error).message).toContain('not a stream of events');
    expect(retries).toEqual([]);
  });

  test('refuses an id that no header can have, instead of sending it', async () => {
    const { error, server } = await read((response) =>
      begin(response, changeText('chg_1\r\nx: y').replace(/^id: .*\r\n.*\n/, '')).end(),
    );
    expect((error as Error).message).toContain('not allowed in a header');
    expect(server.asked).toEqual([AFTER]);
  });

  test('refuses a `fetch` whose response has no body to read', async () => {
    const fetch = async () => ({
      status: 200,
      headers: { get: () => 'text/event-stream' },
      text: async () => '',
    });
    const svc = new Svc({ apiKey: TOKEN, fetch });
    await expect(svc.changes.stream({ after: AFTER }).pages().next()).rejects.toThrow('not a ReadableStream');
  });
});

test('no response within `timeoutMs` is a timeout', async () => {
  const { error } = await read(() => undefined, 1, { timeoutMs: 30, retries: 0 });
  expect(error).toBeInstanceOf(SvcTimeoutError);
  expect((error as Error).message).toBe('No response within 30 ms.');
});

test('a stream reads no further than its consumer, so that its memory is bounded', async () => {
  let sent = 0;
  const text = changeText('chg_1', { record: { id: 'com_a', name: 'x'.repeat(100_000) } });
  const { promise: stalled, resolve } = Promise.withResolvers<void>();
  const server = await oddServer((response) => {
    begin(response, '');
    const fill = (): void => {
      // 200 MB without a reader would go into memory. The server stops when the connection takes no more.
      while (sent < 200 * 1024 * 1024 && response.write(text)) sent += text.length;
      resolve();
    };
    response.on('drain', fill);
    fill();
  });
  const svc = new Svc({ apiKey: TOKEN, baseUrl: server.url });
  const stream = svc.changes.stream({ after: AFTER })[Symbol.asyncIterator]();
  await stream.next();
  await stalled;
  let before = -1;
  const stopped = (): boolean => {
    const same = before === sent;
    before = sent;
    return same;
  };
  await expect.poll(stopped, { interval: 300 }).toBe(true);
  expect(sent).toBeLessThan(32 * 1024 * 1024);
  await stream.return();
  await expect.poll(server.open).toBe(0);
});
