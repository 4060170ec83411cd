import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { waitFor } from '@svc/embedded-postgres/testing';
import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { onFileEnd } from '../../test/harness/cleanup.ts';
import { type DatabaseProxy, startProxy } from '../../test/harness/postgres/proxy.ts';
import { makeStandby, promote, startReplicable } from '../../test/harness/postgres/roles.ts';
import { describeDatabase } from '../server/open-database.ts';
import { isUnavailable } from './errors.ts';
import { createPool, type PoolOptions } from './pool.ts';
import { statement } from './statement.ts';

/** A standby has the roles of its primary, with their passwords. */
const PASSWORD = 'secret-of-roles';
/** Far less than the connect timeout of a silent host, and its head start. */
const SOON_MS = 1_500;

const sleepLong = statement('test_sleep_long', 'control')`select pg_sleep(60)`;
const beginReading = statement('test_begin_reading', 'control')`begin read only`;
const makeTable = statement('test_make_table', 'control')`create table written (value int)`;
const whichServer = statement('test_which_server', 'control')`
  select current_setting('cluster_name') as name`;

/** Accepts connections, and never answers: as a machine that is gone behind a proxy, or that swallows packets. */
async function startSilent(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onFileEnd(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const [a, b] = await Promise.all([startReplicable('a', PASSWORD), startReplicable('b', PASSWORD)]);
let proxies: readonly [DatabaseProxy, DatabaseProxy];
const silent = await startSilent();
const pools: pg.Pool[] = [];
const errors: Error[] = [];

beforeEach(async () => {
  proxies = [await startProxy(a.socketPath), await startProxy(b.socketPath)];
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
  for (const proxy of proxies) await proxy.close();
  errors.length = 0;
});

/** A URL with these ports of 127.0.0.1. */
const urlAt = (...ports: readonly number[]): string =>
  `postgres://svc:${PASSWORD}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/svc`;

function poolAt(ports: readonly number[], options: Partial<PoolOptions> = {}): pg.Pool {
  const onError = (error: Error): void => void errors.push(error);
  const pool = createPool({ url: urlAt(...ports), max: 3, name: 'test of hosts', onError, ...options });
  pools.push(pool);
  return pool;
}

async function serverOf(connections: pg.Pool): Promise<string | undefined> {
  const { rows } = await connections.query<{ name: string }>(whichServer());
  return rows[0]?.name;
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
}

// The tests run in this order: each one starts with the roles that the one before has left.

test('sessions are those of the primary, wherever it is in the URL', async () => {
  await makeStandby(a);
  const [portA, portB] = proxies.map(({ port }) => port) as [number, number];
  expect(await serverOf(poolAt([portA, portB]))).toBe('b');
  expect(await serverOf(poolAt([portB, portA]))).toBe('b');
  expect(describeDatabase(urlAt(portA, portB))).toBe(`127.0.0.1:${portA},127.0.0.1:${portB}/svc`);
});

test('a single host that is a standby is refused, as a database that is not available', async () => {
  const error = await failureOf(serverOf(poolAt([proxies[0].port], { readOnly: true })));
  expect(error.message).toBe(`127.0.0.1:${proxies[0].port} is a standby, and the service needs the primary`);
  expect(isUnavailable(error)).toBe(true);
});

test('a host that swallows packets does not hold back the others', async () => {
  const startedMs = performance.now();
  expect(await serverOf(poolAt([silent, proxies[0].port, proxies[1].port]))).toBe('b');
  expect(performance.now() - startedMs).toBeLessThan(SOON_MS);
});

test('if no host is the primary, the error says why each one is not, and the next query searches again', async () => {
  const { port: portB } = proxies[1];
  await proxies[1].close();
  const pool = poolAt([proxies[0].port, portB, silent]);
  const error = await failureOf(serverOf(pool));
  expect(isUnavailable(error)).toBe(true);
  expect(error.message).toMatch(
    new RegExp(
      `^no host of the database is a primary now: 127.0.0.1:${proxies[0].port} is a standby, .*; ` +
        `connect ECONNREFUSED 127.0.0.1:${portB}; 127.0.0.1:${silent} has not answered for 2 s$`,
    ),
  );
  expect(error.message).not.toContain(PASSWORD);
});

test('when another host becomes the primary, statements and idle sessions on a frozen one fail at once', async () => {
  const [portA, portB] = proxies.map(({ port }) => port) as [number, number];
  const pool = poolAt([portA, portB]);
  const [idle, busy] = [await pool.connect(), await pool.connect()];
  idle.release();
  const hanging = failureOf(busy.query(sleepLong()));
  proxies[1].freeze();
  await promote(a);
  // Another pool of the same URL has no session: it finds the new primary.
  const other = poolAt([portA, portB]);
  other.on('connect', () => undefined);
  const later = failureOf(busy.query(whichServer()));
  await waitFor(async () => expect(await serverOf(other)).toBe('a'));
  for (const failed of [await hanging, await later]) {
    expect(failed.message).toBe(`the primary is now 127.0.0.1:${portA}`);
    expect(isUnavailable(failed)).toBe(true);
  }
  busy.release(true);
  expect(errors.map(({ message }) => message)).toContain(`the primary is now 127.0.0.1:${portA}`);
  expect(await serverOf(pool)).toBe('a');
});

test('a session that the server no longer lets write is closed, and not used again', async () => {
  const pool = poolAt([proxies[0].port, proxies[1].port], { max: 1 });
  const client = await pool.connect();
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  await client.query(beginReading());
  const refused = await failureOf(client.query(makeTable()));
  expect(refused).toMatchObject({ code: '25006' });
  await ended;
  client.release();
  expect(await serverOf(pool)).toBe('a');
});

test('each host gets its own name in TLS', async () => {
  const names: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    // The request for TLS, which PostgreSQL accepts with S.
    socket.once('data', () => {
      socket.write('S');
      const SNICallback = (name: string): void => {
        names.push(name);
        socket.destroy();
      };
      new TLSSocket(socket, { isServer: true, SNICallback }).on('error', () => undefined);
    });
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  onFileEnd(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const url = `postgres://svc@127.0.0.1:1,localhost:${port}/svc?sslmode=verify-full`;
  const pool = createPool({ url, max: 1, name: 'test of TLS', onError: () => undefined });
  pools.push(pool);
  await failureOf(serverOf(pool));
  expect(new Set(names)).toEqual(new Set(['localhost']));
});
