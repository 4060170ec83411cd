import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Svc } from '@svc/sdk';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { createTestService } from '@svc/service/harness/service.ts';
import { addressOfNobody, listen, portOf } from '@svc/service/harness/socket.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, test } from 'vitest';
import { Interrupted } from '../../src/cli/io.ts';
import { clientOf } from '../client.ts';
import { cli } from './cli.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const service = await createTestService();
const address = await listen(service);
const home = await temporaryDirectory();
const secretFile = join(home, 'secret');
await writeFile(secretFile, `${SECRET}\n`);
let svc: Svc;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  const token = await service.token(await service.workspace(), { access: 'write' });
  svc = clientOf(service.app, token);
  env = { SVC_API_KEY: token, SVC_BASE_URL: address, XDG_CONFIG_HOME: home };
});

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (response: ServerResponse) => void;

const status =
  (code: number): Answer =>
  (response) =>
    void response.writeHead(code, { location: 'http://127.0.0.1:1/' }).end();

/** A receiver on this machine that responds so, then with 204. */
async function receiver(...answers: readonly Answer[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    (answers[received.length - 1] ?? status(204))(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onFileEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${portOf(server)}/hook`, received };
}

/** `svc listen` in a process. `ready` is the line that it prints when it listens. */
async function listening(...args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, 'listen', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const messages = createInterface(child.stderr)[Symbol.asyncIterator]();
  onFileEnd(async () => void child.kill());
  return {
    ready: String((await messages.next()).value),
    next: async () => JSON.parse(String((await lines.next()).value)),
    stop: async () => {
      child.kill('SIGINT');
      const [rest, more] = [await lines.next(), await messages.next()];
      return { code: await exit, rest: rest.done === true ? [] : [rest.value], more: more.done };
    },
  };
}

const ENDED = { code: 130, rest: [], more: true };

describe('svc listen', () => {
  test('sends each change once, in order and signed, and prints status and duration', async () => {
    const { url, received } = await receiver(status(204), status(500), status(302));
    const { ready, next, stop } = await listening('--forward-to', url);
    const [, secret = ''] = /sent to http:\S+\. The secret is (whsec_\S+)$/.exec(ready) ?? [];
    await svc.companies.create({ id: 'com_a', name: 'Zürich' });
    await svc.companies.update('com_a', { name: 'A' });
    await svc.companies.delete('com_a');
    const printed = [await next(), await next(), await next()];
    expect(printed.map(({ type, status, error }) => [type, status, error])).toEqual([
      ['company.created', 204, null],
      ['company.updated', 500, null],
      ['company.deleted', 302, null],
    ]);
    const changes = (await Array.fromAsync(svc.changes.list())).toReversed();
    expect(received).toHaveLength(3);
    for (const [i, { headers, body }] of received.entries()) {
      const data = changes[i];
      const event = new Webhook(secret).verify(body, headers as Record<string, string>);
      expect(event).toEqual({ type: data?.type, timestamp: data?.createdAt, data });
      expect(headers).toMatchObject({
        'webhook-id': data?.id,
        'content-type': 'application/json',
        'user-agent': 'svc-webhooks/1',
      });
      expect(printed[i]).toMatchObject({ id: data?.id, recordId: 'com_a', durationMs: expect.any(Number) });
    }
    expect(await stop()).toEqual(ENDED);
  });

  test('goes on when nobody receives, with the secret of a file, which it does not print', async () => {
    const { ready, next, stop } = await listening(
      '--forward-to',
      await addressOfNobody(),
      '--secret-file',
      secretFile,
    );
    expect(ready).not.toContain('whsec_');
    await svc.companies.create({ id: 'com_a', name: 'A' });
    await svc.companies.create({ id: 'com_b', name: 'B' });
    for (const recordId of ['com_a', 'com_b'])
      expect(await next()).toMatchObject({
        recordId,
        status: null,
        error: expect.stringContaining('ECONNREFUSED'),
      });
    expect(await stop()).toEqual(ENDED);
  });

  test('--after begins at a position, and --types and --company leave out other changes', async () => {
    for (const id of ['com_a', 'com_b']) await svc.companies.create({ id, name: id });
    await svc.content.create({ id: 'con_1', companyId: 'com_a', title: 'One' });
    await svc.content.update('con_1', { title: 'Two' });
    const { url, received } = await receiver();
    const args = ['--forward-to', url, '--after', 'start', '--company', 'com_a'];
    const one = await listening(...args, '--types', 'content.updated');
    expect(await one.next()).toMatchObject({ type: 'content.updated' });
    expect(await one.stop()).toEqual(ENDED);
    const { next, stop } = await listening(...args, '--types', 'company.created,content.created');
    expect(await next()).toMatchObject({ recordId: 'com_a', type: 'company.created' });
    expect(await next()).toMatchObject({ recordId: 'con_1', type: 'content.created' });
    expect(await stop()).toEqual(ENDED);
    expect(received).toHaveLength(3);
  });

  test.each([{ terminal: ['stdout'], columns: 80 }, { terminal: ['stdout'], columns: 200 }, {}] as const)(
    'a table shows why a webhook failed, whatever its first line has: %j',
    async (options) => {
      await svc.companies.create({ id: 'com_a', name: 'A' });
      await svc.audits.create({ companyId: 'com_a', headlineScore: 1, completedAt: '2026-03-01T09:30:00Z' });
      await svc.content.create({ companyId: 'com_a', title: 'One' });
      await svc.companies.update('com_a', { name: 'B' });
      const enough = new AbortController();
      const { url } = await receiver(
        status(204),
        (response) => void response.destroy(),
        () => enough.abort(new Interrupted()),
      );
      const types = 'audit.created,content.created,company.updated';
      const argv = ['listen', '--forward-to', url, '--after', 'start', '--types', types, '--format', 'table'];
      const { code, stdout } = await cli(argv, { ...options, env, signal: enough.signal });
      expect(code).toBe(130);
      const [heading, ...lines] = stdout.trimEnd().split('\n');
      expect(heading).toMatch(/^type +recordId +status +durationMs +error$/);
      expect(lines).toEqual([
        expect.stringMatching(/^audit\.created +aud_\w+…? +204 +\d+$/),
        expect.stringMatching(/^content\.created +con_\w+…? +\d+ +other side closed$/),
      ]);
    },
  );

  test.each([
    ['listen', '--forward-to is missing'],
    ['listen --forward-to 127.0.0.1:3000', 'must be an http or https address'],
    ['listen --forward-to ftp://a.example', 'must be an http or https address'],
    ['listen --forward-to http://a --types content.made', 'There is no type "content.made"'],
    ['listen --forward-to http://a --after=', '--after must not be empty'],
    [`listen --forward-to http://a --secret ${SECRET}`, 'must not be an argument'],
  ])('%s: exit code 2, and the message says what is wrong', async (argv, message) => {
    const result = await cli(argv.split(' '), { fetch: () => Promise.reject(new Error('it was sent')) });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });
});
