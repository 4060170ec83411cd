import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { createSecret, createWebhookSender, parseNetworks, signatureHeaders } from '@svc/webhook-sender';
import { afterAll, describe, expect, test } from 'vitest';
import { addressOfNobody } from '../harness/socket.ts';
import { DOCUMENTS, examplesOf, isServer } from './documents.ts';
import { canRun, startExample, userProject } from './run.ts';

const receivers = DOCUMENTS.flatMap((path) =>
  examplesOf(path)
    .filter(isServer)
    .map((example) => ({ title: `${path} ${example.name}`, example })),
);
const directory = await userProject();
const sender = createWebhookSender({ networks: parseNetworks('127.0.0.0/8, ::1') });
afterAll(() => sender.end());

test('there is a receiver in TypeScript and one in Python', () => {
  expect(receivers.map(({ example }) => example.language).sort()).toEqual(['python', 'ts']);
});

const eventOf = (id: string, title = 'Zürich'): Buffer =>
  Buffer.from(
    JSON.stringify({ type: 'content.updated', timestamp: '2026-03-01T09:30:00Z', data: { id, title } }),
  );

/** The first line of the response to a request with this Content-Length and no body; undefined if there is none. */
async function statusLineOf(port: string, contentLength: string): Promise<string | undefined> {
  const socket = connect(Number(port), 'localhost');
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${contentLength}\r\n\r\n`);
  const [line] = (await text(socket)).split('\r\n');
  return line;
}

describe.each(receivers)('$title', ({ example }) => {
  // The languages that are not installed here were printed above.
  test.skipIf(!canRun(example.language))('handles each signed event once, and nothing else', async () => {
    const [secret, next] = [createSecret(), createSecret()];
    const { port } = new URL(await addressOfNobody());
    const url = `http://localhost:${port}/`;
    const env = { SVC_WEBHOOK_SECRET: secret, PORT: port };
    const child = await startExample(example, env, directory);
    const exit = once(child, 'exit');
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const errors = text(child.stderr);
    const send = async (
      id: string,
      body: Buffer,
      ageMs = 0,
      secrets: readonly string[] = [secret],
      signed = eventOf(id),
    ) => {
      const headers = signatureHeaders({ id, body: signed, nowMs: Date.now() - ageMs }, secrets);
      const result = await sender.send({ url, headers, body, owner: 'endpoint' });
      return result.kind === 'response' ? result.status : result.message;
    };
    try {
      expect(await lines.next()).toMatchObject({ value: 'listening' });
      expect(await send('chg_1', eventOf('chg_1'))).toBe(204);
      expect(await send('chg_1', eventOf('chg_1'))).toBe(204);
      expect(await send('chg_2', eventOf('chg_3'))).toBe(400);
      expect(await send('chg_4', eventOf('chg_4'), 600_000)).toBe(400);
      expect(await send('chg_5', eventOf('chg_5'), 0, [next])).toBe(400);
      // The connection may end before the response has arrived.
      const long = eventOf('chg_7', 'x'.repeat(10_000_000));
      expect(await send('chg_7', long, 0, [secret], long)).not.toBe(204);
      for (const length of ['-1', 'abc'])
        expect(await statusLineOf(port, length)).toMatch(/^HTTP\/1\.\d 400 /);
      expect(await send('chg_6', eventOf('chg_6'), 0, [next, secret])).toBe(204);
      expect(await lines.next()).toMatchObject({ value: 'content.updated chg_1' });
      expect(await lines.next()).toMatchObject({ value: 'content.updated chg_6' });
    } finally {
      child.kill();
      await exit;
    }
    expect(await errors).not.toContain('Traceback');
  });
});
