import { mkdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Embedded, findEmbedded, startEmbedded } from '../src/index.ts';
import { dataDirectory } from './support/data-directory.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const BYTES_PER_MIB = 1024 * 1024;
const log = pino({ level: 'silent' });
const dataDir = await dataDirectory();

let embedded: Embedded;
let client: pg.Client;

async function setting(name: string): Promise<unknown> {
  const { rows } = await client.query('select current_setting($1) as value', [name]);
  return rows[0]?.value;
}

beforeAll(async () => {
  embedded = await startEmbedded({ dataDir, purpose: 'a test', log });
  client = new pg.Client({ connectionString: embedded.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await embedded.stop();
});

describe('the embedded server', () => {
  test('keeps text as UTF-8 in byte order, with checksums on every page and times in UTC', async () => {
    const { rows } = await client.query(
      `select pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale,
         lower('ÄÖ') as lower, 'Z' < 'a' as byte_order
       from pg_database where datname = current_database()`,
    );
    expect(rows).toEqual([
      { encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8', lower: 'äö', byte_order: true },
    ]);
    expect(await setting('data_checksums')).toBe('on');
    expect(await setting('TimeZone')).toBe('UTC');
  });

  test('writes each commit to the disk before it responds', async () => {
    expect(await setting('fsync')).toBe('on');
    expect(await setting('synchronous_commit')).toBe('on');
    expect(await setting('full_page_writes')).toBe('on');
  });

  test('is reached through a private socket, never over the network, and with a password', async () => {
    expect(await setting('listen_addresses')).toBe('');
    const directory = await setting('unix_socket_directories');
    expect((await stat(String(directory))).mode & 0o777).toBe(0o700);
    const wrong = new pg.Client({ connectionString: embedded.url.replace(/:[0-9a-f]+@/, ':wrong@') });
    await expect(wrong.connect()).rejects.toThrow('password authentication failed');
  });

  test('gives the service a role that owns its database and is no superuser', async () => {
    const { rows } = await client.query(
      `select rolsuper, rolcreaterole, (select datdba = r.oid from pg_database where datname = current_database()) as owner
       from pg_roles r where rolname = current_user`,
    );
    expect(rows).toEqual([{ rolsuper: false, rolcreaterole: false, owner: true }]);
  });

  test('is found through its data directory while it runs', async () => {
    expect(await findEmbedded(dataDir)).toEqual({ url: embedded.url });
    expect(await findEmbedded(join(await temporaryDirectory(), 'nothing'))).toBeUndefined();
  });
});

test('variables of PostgreSQL and a comma in the path change neither the start nor the connection', async () => {
  vi.stubEnv('PGPORT', '5433');
  vi.stubEnv('PGSSLMODE', 'require');
  onTestFinished(() => void vi.unstubAllEnvs());
  const parent = join(await temporaryDirectory(), 'Acme, Inc');
  await mkdir(parent);
  const server = await startEmbedded({ dataDir: await dataDirectory(parent), purpose: 'a test', log });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await client.end();
  await server.stop();
});

test('the session that holds the locks has no idle timeout', async () => {
  const directory = await dataDirectory();
  const start = () => startEmbedded({ dataDir: directory, purpose: 'a test', log });
  const connect = async (url: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const first = await start();
  const owner = await connect(first.url);
  await owner.query(`alter role current_user set idle_session_timeout = '1s'`);
  await owner.end();
  await first.stop();
  const server = await start();
  const idle = await connect(server.url);
  await new Promise<void>((resolve) => idle.once('end', resolve));
  const another = await connect(server.url);
  expect((await another.query(`select 1 from pg_locks where locktype = 'advisory'`)).rowCount).not.toBe(0);
  await another.end();
  await server.stop();
});

test('a start renames a large log, and keeps only the previous one', async () => {
  const directory = await dataDirectory();
  const logFile = join(directory, 'postgres.log');
  for (let start = 0; start < 3; start++) {
    const server = await startEmbedded({ dataDir: directory, purpose: 'a test', log });
    await server.stop();
    await truncate(logFile, 9 * BYTES_PER_MIB + start);
  }
  expect((await stat(`${logFile}.old`)).size).toBe(9 * BYTES_PER_MIB + 1);
});
