import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ERROR_CLASSES, SvcNetworkError, SvcTimeoutError } from '@svc/sdk';
import { type AnyErrorCode, ERRORS } from '@svc/sdk/contract';
import { createTestService } from '@svc/service/harness/service.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES, exitCodeOf } from '../../src/cli/exit-code.ts';
import { fetchOf, IN_PROCESS_URL } from '../client.ts';
import { type CliOptions, type CliResult, cli } from './cli.ts';

const service = await createTestService();
const workspaceId = await service.workspace();
const token = await service.token(workspaceId, { mode: 'test' });
const home = await temporaryDirectory();

const command = (argv: readonly string[], options: CliOptions = {}): Promise<CliResult> =>
  cli(argv, {
    fetch: fetchOf(service.app),
    ...options,
    env: { SVC_API_KEY: token, SVC_BASE_URL: IN_PROCESS_URL, XDG_CONFIG_HOME: home, ...options.env },
  });

describe('the exit code', () => {
  test('of every error of the service is one that the help lists', () => {
    for (const [code, Class] of Object.entries(ERROR_CLASSES)) {
      const { status } = ERRORS[code as AnyErrorCode];
      const error = new Class({ code, status, message: '', requestId: undefined, retryAfterMs: undefined });
      expect(exitCodeOf(error), code).toBeGreaterThanOrEqual(EXIT_CODES.key.code);
      expect(exitCodeOf(error), code).toBeLessThanOrEqual(EXIT_CODES.service.code);
    }
  });

  test.each([
    ['audits get aud_none', 5, 'svc: not_found: There is no such audit. (Request-Id req_'],
    ['audits list --company not!an!id', 6, 'svc: invalid_parameter: "companyId" must be'],
    ['request GET /v1/nothing', 5, 'svc: not_found'],
    ['companies create name=Acme', 4, 'svc: insufficient_scope: This key may only read.'],
  ])('of %s is %d, and standard error has the reason', async (argv, code, message) => {
    const result = await command(argv.split(' '));
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(message);
  });

  test('of an unknown key is 3, of an unreachable service 9, of any other error 1', async () => {
    const unknown = { SVC_API_KEY: `svc_test_${'x'.repeat(32)}` };
    expect(await command(['audits', 'list'], { env: unknown })).toMatchObject({ code: 3, stdout: '' });
    expect(exitCodeOf(new SvcNetworkError('away'))).toBe(EXIT_CODES.unreachable.code);
    expect(exitCodeOf(new SvcTimeoutError(1))).toBe(EXIT_CODES.unreachable.code);
    expect(exitCodeOf(new RangeError('a mistake'))).toBe(EXIT_CODES.failed.code);
  });
});

test('request of an export that ends early prints what it has, and exits with the code of the error', async () => {
  const id = await service.workspace();
  const key = await service.token(id, { access: 'write', mode: 'live' });
  const env = { SVC_API_KEY: key };
  const stdin = '{"name":"Acme"}\n'.repeat(150);
  expect(await command(['companies', 'create', '--file', '-'], { env, stdin })).toMatchObject({ code: 0 });
  const asked = ['request', 'GET', '/v1/companies/export'];
  const lines = (await command(asked, { env })).stdout.split('\n');
  await service.pool.query('update live_meters set live_quota = live_requests + 1 where workspace_id = $1', [
    id,
  ]);
  const { code, stdout, stderr } = await command(asked, { env });
  expect(code).toBe(EXIT_CODES.limit.code);
  expect(stdout.split('\n').slice(0, 100)).toEqual(lines.slice(0, 100));
  expect(stdout.split('\n').slice(100)).toEqual([expect.stringContaining('"quota_exceeded"'), '']);
  expect(stderr).toContain('svc: quota_exceeded: ');
});

describe('a command that is wrong', () => {
  test.each([
    ['adits list', 'did you mean "audits"?'],
    ['xyzzy', 'There is no command "xyzzy". To list all commands: svc --help'],
    ['list audits', 'There is no command "list"; did you mean "audits list"?'],
    ['get com_a', 'There is no command "get". To list all commands'],
    ['company list', 'There is no command "company"; did you mean "companies"?'],
    ['--json audits list', 'Options come after the command: svc <command> --json.'],
    ['audits --json list', 'Options come after the command: svc audits <command> --json.'],
    ['audits frob', 'list, get, count, tail, create'],
    ['audits list --bogus', 'svc: There is no option --bogus. For details: svc audits list --help\n'],
    ['audits list --limit 0', '--limit must be a whole number of at least 1'],
    ['audits list --limit ten', '--limit must be a whole number'],
    ['audits list --all --limit 3', 'Use either --all or --limit'],
    ['audits list --format xml', '--format must be one of table, ndjson, json, csv'],
    ['audits list more', '"more" is one argument too many'],
    ['audits get', 'ID is missing'],
    ['companies create', 'Give fields as FIELD=VALUE, or a file with --file.'],
    [
      'companies create nme=Acme',
      'svc: There is no field nme; did you mean name? The fields are id, name, domain.\n',
    ],
    ['content create company-id=com_a', 'There is no field company-id; did you mean companyId?'],
    ['companies create all.json', 'id, name, domain. For a file: --file all.json\n'],
    ['companies create {"name":"Acme"}', 'For JSON: --file -, which reads standard input.'],
    ['companies create Acme', '"Acme" is not FIELD=VALUE. The fields are id, name, domain.'],
    [
      'companies create createdAt=now',
      'The field createdAt cannot be set here. The fields are id, name, domain.',
    ],
    ['audits lst', 'did you mean "list"?'],
    ['audits list --lmit 3', 'There is no option --lmit. Did you mean --limit?'],
    ['audits list --companyId x', 'There is no option --companyId. Did you mean --company?'],
    ['audits list --company-id x', 'There is no option --company-id. Did you mean --company?'],
    [
      'mentions list --publishedAfter x',
      'There is no option --publishedAfter. Did you mean --published-after?',
    ],
    ['audits list --csv', 'There is no option --csv. Did you mean --format csv?'],
    ['audits list --json --format csv', 'Use either --json or --format, not both.'],
    [
      'audits list --fields id,headlinescore',
      'There is no field "headlinescore"; did you mean headlineScore?',
    ],
    ['audits list --fields x', 'There is no field "x". The fields are id, companyId, headlineScore'],
    ['audits list --fields id,id', '--fields has id twice.'],
    ['audits list --profil x', 'Did you mean --profile?'],
    ['audits list -x', 'There is no option -x.'],
    ['audits list --limit', 'svc: --limit needs a value: --limit N. For details: svc audits list --help\n'],
    ['audits list --limit -5', 'svc: --limit needs a value: --limit N.'],
    ['audits list --limit --all', '--limit needs a value: --limit N.'],
    ['audits list --all=yes', '--all takes no value.'],
    ['audits list --company=', '--company must not be empty.'],
    ['companies create name=a name=b', 'name is given twice'],
    ['audits create headlineScore=high', 'headlineScore must be a whole number'],
    ['companies create domain:={', 'is not JSON'],
    ['companies update name=B', 'ID is missing: svc companies update ID name=B\n'],
    ['companies update com_a', 'Give the fields to change'],
    ['companies update com_a id=com_b', 'The fields are name, domain.'],
    ['request FETCH /v1/audits', '"FETCH" is not one of GET'],
    ['request /v1/audits GET', '"/v1/audits" is not one of GET'],
    ['request GET v1/audits', 'PATH must begin with one slash'],
    ['request GET //elsewhere.example/', 'PATH must begin with one slash'],
    ['request GET /v1/audits --header Authorization:Bearer', 'The key comes from SVC_API_KEY'],
    ['request POST /v1/companies --data {', '--data is not JSON'],
    ['completion tcsh', '"tcsh" is not one of bash, zsh, fish'],
  ])('%s: exit code 2, nothing is sent, and the message says what is allowed', async (argv, message) => {
    const result = await command(argv.split(' '), { fetch: () => Promise.reject(new Error('it was sent')) });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });
});

test('a body that is not UTF-8 is refused, not repaired: nothing is sent', async () => {
  const body = Buffer.from('{"name":"Café"}', 'latin1');
  const file = join(home, 'latin1.json');
  await writeFile(file, body);
  for (const [data, name] of [
    ['-', 'standard input'],
    [`@${file}`, file],
  ] as const) {
    const options = {
      stdin: Readable.from([body]),
      fetch: () => Promise.reject(new Error('it was sent')),
    };
    const result = await command(['request', 'POST', '/v1/companies', '--data', data], options);
    expect(result).toEqual({ code: 1, stdout: '', stderr: `svc: ${name} is not UTF-8.\n` });
  }
});

describe('a key', () => {
  const secret = `svc_live_${'k'.repeat(32)}`;

  test.each([
    [['audits', 'list', secret]],
    [['audits', 'list', `--key=${secret}`]],
    [['login', secret]],
    [['request', 'GET', `/v1/audits?key=${secret}`]],
  ])('is refused as an argument, with a hint that does not show the key', async (argv) => {
    const result = await command(argv);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('Set SVC_API_KEY or run svc login, and rotate this key.');
    expect(result.stderr).not.toContain(secret);
  });

  test('that is neither set nor stored is reported as missing', async () => {
    const result = await command(['audits', 'list'], { env: { SVC_API_KEY: '' } });
    expect(result).toEqual({
      code: 3,
      stdout: '',
      stderr: 'svc: There is no API key. Run svc login or set SVC_API_KEY.\n',
    });
  });

  test('that is malformed is not sent and not shown', async () => {
    const result = await command(['audits', 'list'], { env: { SVC_API_KEY: 'svc_live_short' } });
    expect(result.code).toBe(3);
    expect(result.stderr).toContain('malformed');
    expect(result.stderr).not.toContain('svc_live_short');
  });

  test('in a damaged file: the message says that the file is damaged', async () => {
    const other = await temporaryDirectory();
    await mkdir(join(other, 'svc'));
    await writeFile(join(other, 'svc', 'config.json'), '{', { mode: 0o600 });
    const result = await command(['audits', 'list'], { env: { SVC_API_KEY: '', XDG_CONFIG_HOME: other } });
    expect(result.stderr).toContain('config.json is damaged. Run svc login again.');
    // The environment has all that a command needs.
    expect(await command(['audits', 'count'], { env: { XDG_CONFIG_HOME: other } })).toMatchObject({
      code: 0,
    });
  });
});
