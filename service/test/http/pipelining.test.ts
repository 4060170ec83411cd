import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { waitingForLocks } from '../harness/locks.ts';
import { createTestService } from '../harness/service.ts';

const service = await createTestService();
const workspaceId = await service.workspace();
const token = await service.token(workspaceId, { access: 'write' });
const port = Number(new URL(await service.app.listen({ port: 0, host: '127.0.0.1' })).port);

interface Connection {
  readonly write: (text: string) => void;
  /** Closes the side of the client. */
  readonly end: () => void;
  readonly reset: () => void;
  /** All that came back, once the service has closed the connection. */
  readonly closed: Promise<string>;
}

function open(): Connection {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('utf8');
  let answer = '';
  socket.on('data', (data) => {
    answer += data;
  });
  socket.on('error', () => undefined);
  return {
    write: (text) => void socket.write(text),
    end: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
    closed: new Promise((resolve) => void socket.on('close', () => resolve(answer))),
  };
}

const AUTH = `host: a\r\nauthorization: Bearer ${token}\r\n`;
const post = (name: string): string => {
  const body = JSON.stringify({ name });
  return `POST /v1/companies HTTP/1.1\r\n${AUTH}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};
const get = (url: string): string => `GET ${url} HTTP/1.1\r\n${AUTH}\r\n`;

const statusesOf = (text: string): readonly number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

const names = async (): Promise<readonly string[]> => {
  const { rows } = await service.pool.query<{ name: string }>(
    'select name from companies where workspace_id = $1',
    [workspaceId],
  );
  return rows.map(({ name }) => name);
};

const GARBAGE: readonly (readonly [string, string, number])[] = [
  ['what is not HTTP', 'garbage\r\n\r\n', 400],
  ['many broken lines', 'garbage\r\n\r\n'.repeat(1_000), 400],
  ['headers that are too large', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n', 405],
  ['two lengths', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400],
];

test.each(GARBAGE)(
  'requests keep their own responses when %s follows on the connection',
  async (_, garbage, status) => {
    const before = await names();
    const connection = open();
    connection.write(get('/v1/companies?limit=1') + post('one') + post('two') + garbage);
    const text = await connection.closed;
    expect(statusesOf(text)).toEqual([200, 201, 201, status]);
    expect((await names()).length).toBe(before.length + 2);
  },
);

test('a write that is still at work is answered before what is broken after it, and once', async () => {
  const holder = await service.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table companies in access exclusive mode');
    const connection = open();
    connection.write(post('slow'));
    await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
    connection.write('garbage\r\n\r\n');
    connection.write('more garbage\r\n\r\n');
    await holder.query('commit');
    const text = await connection.closed;
    expect(statusesOf(text)).toEqual([201, 400]);
    expect(text).toContain('"name":"slow"');
  } finally {
    holder.release();
  }
});

test('a request whose body breaks off is the one that is refused, after the one before it', async () => {
  const connection = open();
  const chunked = `POST /v1/companies HTTP/1.1\r\n${AUTH}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
  connection.write(`${get('/v1/companies?limit=1')}${chunked}5\r\n{"nam\r\nnot a length\r\n`);
  expect(statusesOf(await connection.closed)).toEqual([200, 400]);
});

/** The statuses in the log of the requests with an id, which has no entry twice. */
const loggedStatuses = async (id: string): Promise<readonly number[]> => {
  const { rows } = await service.pool.query<{ status: number }>(
    `select status from audit_log where workspace_id = $1 and doc::json ->> 'requestId' = $2`,
    [workspaceId, id],
  );
  return rows.map(({ status }) => status);
};

const newId = (): string => `id-${Math.random().toString(36).slice(2)}`;
const newAuth = async (): Promise<string> =>
  `host: a\r\nauthorization: Bearer ${await service.token(workspaceId, { access: 'write' })}\r\n`;
const JSON_BODY = 'connection: close\r\ncontent-type: application/json\r\n';

describe.each([
  ['that the service knows', async () => AUTH],
  ['that the service has not seen yet', newAuth],
])('with a key %s', (_, authOf) => {
  test.each([
    ['a broken chunk', 'POST /v1/companies', `${JSON_BODY}transfer-encoding: chunked\r\n\r\nzz\r\n`, 400],
    ['a broken chunk that no route reads', 'GET /v1/none', 'transfer-encoding: chunked\r\n\r\nzz\r\n', 400],
    [
      'an unknown expectation',
      'POST /v1/companies',
      `${JSON_BODY}expect: x\r\ncontent-length: 1\r\n\r\n`,
      417,
    ],
    [
      'two Content-Types',
      'POST /v1/companies',
      `${JSON_BODY}content-type: text/plain\r\ncontent-length: 0\r\n\r\n`,
      400,
    ],
    ['a fragment', 'GET /v1/companies#x', 'connection: close\r\n\r\n', 400],
    ['a token in the URL', `GET /v1/companies?key=${token}`, 'connection: close\r\n\r\n', 400],
  ])(
    'a request with %s has its entry before its response, and its own Request-Id',
    async (_name, line, rest, status) => {
      const id = newId();
      const connection = open();
      connection.write(`${line} HTTP/1.1\r\n${await authOf()}request-id: ${id}\r\n${rest}`);
      const text = await connection.closed;
      expect(await loggedStatuses(id)).toEqual([status]);
      expect(statusesOf(text)).toEqual([status]);
      expect(text.toLowerCase()).toContain(`request-id: ${id}`);
    },
  );

  test('a request that the client ends before its body is whole has its entry and its response', async () => {
    const id = newId();
    const connection = open();
    connection.write(
      `POST /v1/companies HTTP/1.1\r\n${await authOf()}request-id: ${id}\r\n${JSON_BODY}content-length: 20\r\n\r\n{"`,
    );
    connection.end();
    expect(statusesOf(await connection.closed)).toEqual([400]);
    expect(await loggedStatuses(id)).toEqual([400]);
  });
});

test('a request whose client goes away while its key is looked up has its entry, and a line in the log', async () => {
  const auth = await newAuth();
  const id = newId();
  const holder = await service.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table api_keys in access exclusive mode');
    const connection = open();
    connection.write(
      `POST /v1/companies HTTP/1.1\r\n${auth}request-id: ${id}\r\n${JSON_BODY}content-length: 20\r\n\r\n{"`,
    );
    await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
    connection.reset();
    await connection.closed;
    const gone = 'the client disconnected before the response';
    await expect
      .poll(() => service.log.filter((line) => line.includes(id) && line.includes(gone)))
      .toHaveLength(1);
    await holder.query('commit');
    await expect.poll(() => loggedStatuses(id)).toEqual([400]);
  } finally {
    holder.release();
  }
});

test('a request that was refused before its body was read is answered once', async () => {
  const connection = open();
  connection.write(
    'POST /v1/companies HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"nam\r\n',
  );
  await expect.poll(() => service.log.some((line) => line.includes('"status":401'))).toBe(true);
  connection.write('not a length\r\n');
  expect(statusesOf(await connection.closed)).toEqual([401]);
});

test.each([
  '/v1/%63ompanies',
  '/%76%31/companies',
  'http://elsewhere.example/v1/companies',
  'HTTP://a/v1/compan%69es?limit=1',
])('a request to %s is in the log under the path that it was routed by', async (target) => {
  const connection = open();
  const id = `path-${Math.random().toString(36).slice(2)}`;
  connection.write(`GET ${target} HTTP/1.1\r\n${AUTH}request-id: ${id}\r\nconnection: close\r\n\r\n`);
  expect(statusesOf(await connection.closed)).toEqual([200]);
  const { rows } = await service.pool.query<{ path: string }>(
    `select path from audit_log where workspace_id = $1 and doc::json ->> 'requestId' = $2`,
    [workspaceId, id],
  );
  expect(rows).toEqual([{ path: '/v1/companies' }]);
});
