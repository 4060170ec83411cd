import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestService } from '@svc/service/harness/service.ts';
import { listen } from '@svc/service/harness/socket.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { describe, expect, test } from 'vitest';
import { fetchOf, IN_PROCESS_URL } from '../client.ts';
import { type CliOptions, type CliResult, cli, records } from './cli.ts';

const service = await createTestService();
const [first, second] = [await service.workspace(), await service.workspace()];
const firstKey = await service.token(first, { mode: 'test' });
const secondKey = await service.token(second, { access: 'write' });
const address = await listen(service);
const PERMISSIONS = 0o777;

/** A user with a home directory of their own. */
async function user() {
  const home = await temporaryDirectory();
  const file = join(home, '.config', 'svc', 'config.json');
  const command = (argv: string, options: CliOptions = {}): Promise<CliResult> =>
    cli(argv.split(' '), { fetch: fetchOf(service.app), ...options, env: { HOME: home, ...options.env } });
  const workspaceOf = async (argv: string, env: CliOptions['env'] = {}): Promise<unknown> =>
    JSON.parse((await command(argv, { env })).stdout).workspace.id;
  return { home, file, command, workspaceOf };
}

const login = `login --base-url ${IN_PROCESS_URL}`;

describe('profiles', () => {
  test('keep several keys, in a file that only this user can read', async () => {
    const { file, command, workspaceOf } = await user();
    await command(login, { stdin: firstKey });
    const stored = await command(`${login} --profile other`, { stdin: secondKey });
    expect(stored.stderr).toBe(`svc: the key works and is stored as the profile other in ${file}.\n`);
    expect((await stat(file)).mode & PERMISSIONS).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      apiKey: firstKey,
      baseUrl: IN_PROCESS_URL,
      profiles: { other: { apiKey: secondKey, baseUrl: IN_PROCESS_URL } },
    });
    expect(await workspaceOf('whoami')).toBe(first);
    expect(await workspaceOf('whoami --profile default')).toBe(first);
    expect(await workspaceOf('whoami --profile other')).toBe(second);
    expect(await workspaceOf('whoami', { SVC_PROFILE: 'other' })).toBe(second);
    const { stdout } = await command('profiles');
    expect(records(stdout)).toEqual([
      { name: 'other', mode: 'live', baseUrl: IN_PROCESS_URL },
      { name: 'default', mode: 'test', baseUrl: IN_PROCESS_URL },
    ]);
    expect(stdout).not.toContain('svc_');
  });

  test('in the command have precedence over the environment, and SVC_API_KEY over SVC_PROFILE', async () => {
    const { command, workspaceOf } = await user();
    await command(`${login} --profile one`, { stdin: firstKey });
    const env = { SVC_API_KEY: secondKey, SVC_BASE_URL: IN_PROCESS_URL };
    expect(await workspaceOf('whoami', { ...env, SVC_PROFILE: 'one' })).toBe(second);
    expect(await workspaceOf('whoami --profile one', env)).toBe(first);
    // The stored key goes to its own address only.
    expect(await workspaceOf('whoami --profile one', { SVC_BASE_URL: 'http://elsewhere.test' })).toBe(first);
  });

  test('that do not exist or have a wrong name are refused, with the names that exist', async () => {
    const { command } = await user();
    expect((await command('whoami --profile staging')).stderr).toBe(
      'svc: There is no profile staging. No profile is stored. To create it: svc login --profile staging\n',
    );
    await command(`${login} --profile staging`, { stdin: firstKey });
    const missing = await command('audits list --profile stagin');
    expect(missing).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'svc: There is no profile stagin. Did you mean staging? To create it: svc login --profile stagin\n',
    });
    expect((await command('audits list --profile prod')).stderr).toContain('The profiles are staging.');
    expect((await command('audits list')).stderr).toContain('There is no profile default.');
    for (const name of ['../x', '__proto__', 'a b', '']) {
      const refused = await cli(['login', '--profile', name], { env: { HOME: '/nowhere' } });
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(`"${name}" cannot be a profile.`);
    }
    expect((await command('audits list --profile constructor')).code).toBe(3);
  });

  test('an address without a scheme is refused with the name of its source', async () => {
    const { file, command } = await user();
    await command(login, { stdin: firstKey });
    const refusal = (source: string) => ({
      code: 1,
      stdout: '',
      stderr: `svc: ${source} is not a URL. Use an address such as http://127.0.0.1:25490.\n`,
    });
    const env = { SVC_BASE_URL: '127.0.0.1:25490' };
    const withKey = { ...env, SVC_API_KEY: secondKey };
    expect(await command('whoami', { env })).toEqual(refusal('SVC_BASE_URL'));
    expect(await command('whoami', { env: withKey })).toEqual(refusal('SVC_BASE_URL'));
    expect(await command('login', { env })).toEqual(refusal('SVC_BASE_URL'));
    const option = await command('login --base-url 127.0.0.1:25490', { env });
    expect(option).toEqual(refusal('--base-url'));
    await writeFile(file, JSON.stringify({ apiKey: firstKey, baseUrl: '127.0.0.1:25490' }));
    expect(await command('whoami')).toEqual(refusal('The address of the profile default'));
  });

  test('are removed one by one, or all at once', async () => {
    const { file, command } = await user();
    for (const name of ['default', 'a', 'b'])
      await command(`${login} --profile ${name}`, { stdin: firstKey });
    expect((await command('logout --profile a')).stderr).toBe('svc: removed the profile a.\n');
    expect((await command('logout --profile a')).stderr).toBe('svc: nothing is stored.\n');
    expect(await command('audits list --profile a')).toMatchObject({ code: 3 });
    await command('logout');
    expect(await command('audits list')).toMatchObject({ code: 3 });
    expect(await command('audits list --profile b')).toMatchObject({ code: 0 });
    expect((await command('logout --all')).stderr).toBe(`svc: removed ${file}.\n`);
    await expect(stat(file)).rejects.toThrow('ENOENT');
    expect(await command('logout --all --profile b')).toMatchObject({ code: 2 });
  });
});

describe('whoami', () => {
  const env = { SVC_API_KEY: secondKey, SVC_BASE_URL: IN_PROCESS_URL };

  test('shows the key, its workspace and its limits, one per line on a terminal', async () => {
    await service.pool.query('update live_meters set live_quota = 1000 where workspace_id = $1', [second]);
    const { command } = await user();
    const { code, stdout } = await command('whoami', { env, terminal: ['stdout'] });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^address +http:\/\/svc\.test\nfrom +SVC_API_KEY\nkey\.id +key_/);
    expect(stdout).toMatch(/^key\.mode +live\n/m);
    expect(stdout).toMatch(/^key\.access +write\n/m);
    expect(stdout).toMatch(/^company +none\n/m);
    expect(stdout).toMatch(new RegExp(`^workspace\\.id +${second}\n`, 'm'));
    expect(stdout).toMatch(/^quota\.remaining +\d+\n/m);
    expect(stdout).not.toContain(secondKey);
  });

  test('prints JSON in a pipe and with --json', async () => {
    const { command } = await user();
    const piped = JSON.parse((await command('whoami', { env })).stdout);
    expect(piped).toMatchObject({
      key: { mode: 'live', access: 'write' },
      workspace: { id: second },
      company: null,
      baseUrl: IN_PROCESS_URL,
      profile: null,
    });
    const shown = await command('whoami --json', { env, terminal: ['stdout'] });
    expect(JSON.parse(shown.stdout).key).toEqual(piped.key);
  });

  test('of an unknown key ends with exit code 3', async () => {
    const { command } = await user();
    const unknown = { ...env, SVC_API_KEY: `svc_live_${'x'.repeat(32)}` };
    expect(await command('whoami', { env: unknown })).toMatchObject({ code: 3, stdout: '' });
  });
});

describe('--debug', () => {
  const env = { SVC_API_KEY: secondKey, SVC_BASE_URL: address };
  const debugged = (argv: string, more: CliOptions = {}): Promise<CliResult> =>
    cli(argv.split(' '), { ...more, env: { HOME: '/nowhere', ...env, ...more.env } });

  test('prints requests and responses with their headers on standard error, without the key', async () => {
    const { code, stdout, stderr } = await debugged('companies list --limit 1 --debug');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('svc: > GET /v1/companies?limit=1\n');
    expect(stderr).toContain('svc: >   accept: application/json\n');
    expect(stderr).toContain('svc: >   authorization: …\n');
    expect(stderr).toMatch(/^svc: < GET \/v1\/companies\?limit=1 200 in \d+ ms$/m);
    expect(stderr).toMatch(/^svc: < {3}request-id: req_/m);
    expect(stderr).not.toContain(secondKey.slice('svc_live_'.length));
  });

  test('shows that --fields is sent to the service, for lists and single records', async () => {
    const list = await debugged('companies list --limit 1 --fields name --debug');
    expect(list.stderr).toContain('svc: > GET /v1/companies?fields=name&limit=1\n');
    const get = await debugged('companies get com_none --fields name,domain --debug');
    expect(get.stderr).toContain('svc: > GET /v1/companies/com_none?fields=name%2Cdomain\n');
  });

  test('of login hides the key too', async () => {
    const home = await temporaryDirectory();
    const { code, stderr } = await cli(['login', '--base-url', address, '--debug'], {
      env: { HOME: home },
      stdin: firstKey,
    });
    expect(code).toBe(0);
    expect(stderr).toContain('svc: > GET /v1/audits/count');
    expect(stderr).not.toContain(firstKey.slice('svc_test_'.length));
  });

  test('SVC_LOG=info prints one line per response', async () => {
    const { stderr } = await debugged('companies list --limit 1', { env: { SVC_LOG: 'info' } });
    expect(stderr).toMatch(/^svc: < GET \/v1\/companies\?limit=1 200 in \d+ ms \(req_[\w-]+\)\n$/);
  });
});
