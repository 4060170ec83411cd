import { access } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findEmbedded, hasDatabase } from '@svc/embedded-postgres';
import { dataDirectory } from '@svc/embedded-postgres/testing';
import { runSvcd } from '@svc/service/harness/process.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const dataDir = await dataDirectory();
const taken = createServer();
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  port = (taken.address() as AddressInfo).port;
});
afterAll(() => {
  taken.close();
});

describe('svcd start prints the reason in one line, creates no database, and ends with code 1', () => {
  test.each([
    [
      'a port that is in use',
      '1',
      () => ({ SVC_PORT: String(port) }),
      () =>
        `cannot listen on 127.0.0.1:${port}: port ${port} is in use. Stop the program that listens there, or set SVC_PORT to another port.`,
    ],
    [
      'a port that is in use, with several workers',
      '2',
      () => ({ SVC_PORT: String(port) }),
      () =>
        `cannot listen on 127.0.0.1:${port}: port ${port} is in use. Stop the program that listens there, or set SVC_PORT to another port.`,
    ],
    [
      'an address of another machine',
      '1',
      () => ({ SVC_HOST: '192.0.2.1', SVC_PORT: '18099' }),
      () =>
        'cannot listen on 192.0.2.1:18099: 192.0.2.1 is not an address of this machine. Set SVC_HOST to one, such as 127.0.0.1 or 0.0.0.0.',
    ],
    [
      'an unknown host name',
      '1',
      () => ({ SVC_HOST: 'nowhere.invalid', SVC_PORT: '18099' }),
      () =>
        'cannot listen on nowhere.invalid:18099: the host name nowhere.invalid is unknown. Set SVC_HOST to an address, such as 127.0.0.1 or 0.0.0.0.',
    ],
  ])('%s', async (_, workers, settings, message) => {
    const env = { SVC_DATA_DIR: dataDir, SVC_WORKERS: workers, SVC_LOG_LEVEL: 'error', ...settings() };
    const { code, stderr, stdout } = await runSvcd(['start'], { env });
    expect({ code, stderr, stdout }).toEqual({ code: 1, stderr: `svcd: ${message()}\n`, stdout: '' });
    expect(await hasDatabase(dataDir)).toBe(false);
  });
});

test('a server without TLS is explained in one line, and no warning is printed, if the URL asks for TLS', async () => {
  // As a PostgreSQL without TLS responds to the request for it.
  const server = createServer((socket) => socket.once('data', () => socket.end('N')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: refusing } = server.address() as AddressInfo;
  const env = {
    SVC_DATABASE_URL: `postgres://svc@127.0.0.1:${refusing}/svc?sslmode=require`,
    SVC_SECRET: 'x'.repeat(32),
  };
  const message =
    'the server does not support TLS. Turn it on there (ssl = on), or set sslmode=disable in the URL';
  const results = await Promise.all(['migrate', 'start'].map((command) => runSvcd([command], { env })));
  server.close();
  expect(results).toEqual([
    { code: 1, signal: null, stdout: '', stderr: `svcd: ${message}\n` },
    { code: 1, signal: null, stdout: '', stderr: `svcd: SVC_DATABASE_URL: ${message}\n` },
  ]);
});

describe('arguments that do not fit together end with code 2', () => {
  test.each([
    [['backup', '--verify'], '--verify needs a file: --output backup.svc'],
    [['backup', '--scheduled'], '--scheduled needs SVC_BACKUP_DIR'],
    [['backup', 'a.svc', '--output', 'b.svc'], 'give the file once: as the argument or with --output.'],
    [
      ['import', 'audits', '-', '--workspace', 'w'],
      'the format of standard input is not known: add --format ndjson or --format csv.',
    ],
  ])('svcd %j', async (args, message) => {
    const { code, stderr, stdout } = await runSvcd(args, { env: { SVC_DATA_DIR: dataDir } });
    expect({ code, stderr, stdout }).toEqual({ code: 2, stderr: `svcd: ${message}\n`, stdout: '' });
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });
});

describe('without a database, nothing is created', () => {
  test.each([
    [['backup', '-']],
    [['user', 'list']],
    [['user', 'reset-password', '--email', 'ada@example.com']],
    [['workspace', 'list']],
    [['export', 'audits', '-', '--workspace', 'w', '--format', 'csv']],
    [['import', 'audits', '-', '--workspace', 'w', '--format', 'csv']],
    [['verify']],
  ])('svcd %j names the directory', async (args) => {
    const none = join(dataDir, 'none');
    const { code, stderr, stdout } = await runSvcd(args, { env: { SVC_DATA_DIR: none } });
    expect([code, stdout]).toEqual([args[0] === 'import' || args[0] === 'verify' ? 2 : 1, '']);
    expect(stderr).toMatch(
      new RegExp(`^svcd: the data directory ${none} has no database.* Set SVC_DATA_DIR`),
    );
    await expect(access(none)).rejects.toThrow('ENOENT');
  });

  test('svcd doctor names the directory', async () => {
    const none = join(dataDir, 'none');
    const { code, stdout } = await runSvcd(['doctor'], { env: { SVC_DATA_DIR: none } });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`there is none in ${none} yet`)]);
  });
});

describe('a wrong configuration', () => {
  test.each([['start'], ['demo'], ['bootstrap', '--email', 'a@example.com', '--workspace', 'A']])(
    'of svcd %s: all mistakes are reported, with code 2 and without a stack',
    async (...args) => {
      const env = { SVC_DATA_DIR: dataDir, SVC_PORT: 'http', SVC_WORKERS: '0', SVC_WROKERS: '2' };
      const { code, stderr } = await runSvcd(args, { env });
      expect(code).toBe(2);
      for (const part of [
        '3 mistakes',
        'SVC_PORT',
        'SVC_WORKERS',
        'SVC_WROKERS is not a setting. Did you mean SVC_WORKERS?',
      ]) {
        expect(stderr).toContain(part);
      }
      expect(stderr).not.toMatch(/^\s+at /m);
    },
  );

  test('of a database address: its password is never shown', async () => {
    const password = 'an-unlucky-password';
    const { code, stderr } = await runSvcd(['start'], {
      env: { SVC_DATABASE_URL: `mysql://root:${password}@db/svc`, SVC_SECRET: 'short' },
    });
    expect(code).toBe(2);
    expect(stderr).not.toContain(password);
  });
});

describe('the command line', () => {
  test.each([
    [['strat'], /unknown command 'strat'\n\(Did you mean start\?\)/],
    [['start', '--prot'], /unknown option '--prot'/],
    [['bootstrap', '--workspace', 'A'], /required option '--email <address>' not specified/],
    [['demo', '--port', 'abc'], /argument 'abc' is invalid. It must be an integer/],
  ])('svcd %s is refused with code 2', async (args, message) => {
    const { code, stderr } = await runSvcd(args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test.each([['start'], ['demo'], ['bootstrap']])('svcd %s --help says what it does', async (command) => {
    const { code, stdout } = await runSvcd([command, '--help']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^Usage: svcd ${command} \\[options\\]`)),
    ]);
  });
});
