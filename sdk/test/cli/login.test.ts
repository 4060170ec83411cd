import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { createTestService } from '@svc/service/harness/service.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { describe, expect, test } from 'vitest';
import { Interrupted } from '../../src/cli/io.ts';
import { fetchOf, IN_PROCESS_URL } from '../client.ts';
import { type CliOptions, type CliResult, cli } from './cli.ts';

const service = await createTestService();
const workspaceId = await service.workspace();
const token = await service.token(workspaceId, { mode: 'test' });
const PERMISSIONS = 0o777;

/** A user with a home directory of their own. */
async function user() {
  const home = await temporaryDirectory();
  const file = join(home, '.config', 'svc', 'config.json');
  const command = (argv: string, options: CliOptions = {}): Promise<CliResult> =>
    cli(argv.split(' '), { fetch: fetchOf(service.app), ...options, env: { HOME: home, ...options.env } });
  return { home, file, command };
}

const login = `login --base-url ${IN_PROCESS_URL}`;

describe('svc login', () => {
  test('stores key and address for this user only, and every command then uses them', async () => {
    const { file, command } = await user();
    const result = await command(login, { stdin: `${token}\n` });
    expect(result).toEqual({
      code: 0,
      stdout: '',
      stderr: `svc: the key works and is stored in ${file}.\n`,
    });
    expect((await stat(file)).mode & PERMISSIONS).toBe(0o600);
    expect((await stat(join(file, '..'))).mode & PERMISSIONS).toBe(0o700);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ apiKey: token, baseUrl: IN_PROCESS_URL });
    expect(await command('audits list')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('reads the key from the terminal, with corrections, and never shows it', async () => {
    const { file, command } = await user();
    const typed = `${token.slice(0, -1)}!\u007f${token.slice(-1)}\r`;
    const { code, stdout, stderr } = await command(login, {
      stdin: typed,
      terminal: ['stdin', 'stdout', 'stderr'],
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(`API key for ${IN_PROCESS_URL}: `);
    expect(stderr).not.toContain(token.slice(9));
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ apiKey: token });
  });

  test('ends on Ctrl-C, and stores nothing', async () => {
    const { file, command } = await user();
    expect(await command(login, { stdin: 'svc_\u0003', terminal: ['stdin'] })).toMatchObject({ code: 130 });
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  test('ends when it is interrupted while it waits for the key on a terminal', async () => {
    const { command } = await user();
    const interruption = new AbortController();
    const stdin = new Readable({ read: () => interruption.abort(new Interrupted()) });
    const { signal } = interruption;
    expect(await command(login, { stdin, terminal: ['stdin'], signal })).toMatchObject({ code: 130 });
  });

  test('does not store a key that the service refuses, or text that is not a key', async () => {
    const { file, command } = await user();
    expect(await command(login, { stdin: `svc_test_${'x'.repeat(32)}\n` })).toMatchObject({ code: 3 });
    expect(await command(login, { stdin: 'password\n' })).toMatchObject({ code: 3 });
    expect(await command(login)).toMatchObject({ code: 3 });
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  test('uses the address of SVC_BASE_URL, and XDG_CONFIG_HOME for its file', async () => {
    const { home, command } = await user();
    const env = { SVC_BASE_URL: `${IN_PROCESS_URL}/`, XDG_CONFIG_HOME: join(home, 'xdg') };
    await command('login', { stdin: token, env });
    const stored = await readFile(join(home, 'xdg', 'svc', 'config.json'), 'utf8');
    expect(JSON.parse(stored)).toEqual({ apiKey: token, baseUrl: IN_PROCESS_URL });
  });
});

test('SVC_API_KEY has precedence over the stored key', async () => {
  const { command } = await user();
  await command(login, { stdin: token });
  const other = await service.token(await service.workspace(), { mode: 'test' });
  expect((await command('api-keys list', { env: { SVC_API_KEY: other } })).stdout).not.toEqual(
    (await command('api-keys list')).stdout,
  );
});

test('a stored key is not sent to another address', async () => {
  const { command } = await user();
  await command(login, { stdin: token });
  const result = await command('audits list', { env: { SVC_BASE_URL: 'http://elsewhere.test' } });
  expect(result).toMatchObject({ code: 3, stdout: '' });
  expect(result.stderr).toContain(`the stored key belongs to ${IN_PROCESS_URL}`);
  expect(await command('audits list', { env: { SVC_BASE_URL: IN_PROCESS_URL } })).toMatchObject({ code: 0 });
});

test('a warning says that other users can read the file', async () => {
  const { file, command } = await user();
  await command(login, { stdin: token });
  await chmod(file, 0o644);
  expect((await command('audits list')).stderr).toContain(`other users can read ${file}`);
});

test('svc logout removes the key', async () => {
  const { file, command } = await user();
  await command(login, { stdin: token });
  expect(await command('logout')).toMatchObject({ code: 0, stderr: `svc: removed ${file}.\n` });
  expect(await command('logout')).toMatchObject({ code: 0, stderr: 'svc: nothing is stored.\n' });
  expect(await command('audits list')).toMatchObject({ code: 3 });
});

describe('a damaged file', () => {
  const OTHER = `svc_test_${'o'.repeat(32)}`;
  const good = { apiKey: token, baseUrl: IN_PROCESS_URL };

  /** A user whose file has this text. */
  async function userWith(text: string) {
    const person = await user();
    await mkdir(dirname(person.file), { recursive: true });
    await writeFile(person.file, text, { mode: 0o600 });
    return person;
  }

  test.each([`{"apiKey":"${OTHER}",}`, `["${OTHER}"]`, `{"profiles":"${OTHER}"}`])(
    'is copied for this user only by login and by logout: %s',
    async (text) => {
      const { file, command } = await userWith(text);
      const copies = [`${file}.damaged`, `${file}.damaged-2`] as const;
      expect(await command(login, { stdin: token })).toEqual({
        code: 0,
        stdout: '',
        stderr: `svc: the key works and is stored in ${file}.\nsvc: the file was damaged. Its copy, which may have other keys, is ${copies[0]}.\n`,
      });
      expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(good);
      await writeFile(file, `${text} again`);
      expect(await command('logout')).toEqual({
        code: 0,
        stdout: '',
        stderr: `svc: removed ${file}. It was damaged. Its copy, which may have keys, is ${copies[1]}.\n`,
      });
      await expect(stat(file)).rejects.toThrow('ENOENT');
      expect(await Promise.all(copies.map((copy) => readFile(copy, 'utf8')))).toEqual([
        text,
        `${text} again`,
      ]);
      for (const copy of copies) expect((await stat(copy)).mode & PERMISSIONS).toBe(0o600);
    },
  );

  test('is removed without a copy by logout --all', async () => {
    const { file, command } = await userWith('{');
    expect(await command('logout --all')).toMatchObject({ code: 0, stderr: `svc: removed ${file}.\n` });
    expect(await readdir(dirname(file))).toEqual([]);
  });

  test('of which one profile is damaged keeps every profile, and the others work', async () => {
    const damaged = { apiKey: OTHER };
    const { file, command } = await userWith(JSON.stringify({ ...good, profiles: { damaged, good } }));
    const warning = `svc: warning: The profile damaged in ${file} is damaged. Run svc login --profile damaged again.\n`;
    for (const argv of ['audits list', 'audits list --profile good'])
      expect(await command(argv)).toEqual({ code: 0, stdout: '', stderr: warning });
    expect((await command(`${login} --profile more`, { stdin: token })).code).toBe(0);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      ...good,
      profiles: { damaged, good, more: good },
    });
    expect((await command('logout --profile damaged')).stderr).toBe('svc: removed the profile damaged.\n');
    expect(await command('audits list')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('does not show a key that is in the place of a name', async () => {
    const { file, command } = await userWith(JSON.stringify({ ...good, profiles: { [OTHER]: 'x' } }));
    const stderr = `svc: warning: A profile in ${file} is damaged.\n`;
    expect(await command('audits list')).toEqual({ code: 0, stdout: '', stderr });
  });
});
