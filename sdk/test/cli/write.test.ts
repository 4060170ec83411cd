import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { etagOf, type Fetch } from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { Interrupted } from '../../src/cli/io.ts';
import { clientOf, fetchOf, IN_PROCESS_URL } from '../client.ts';
import { type CliOptions, type CliResult, cli, records } from './cli.ts';

const service = await createTestService();
const home = await temporaryDirectory();
let token: string;
let svc: ReturnType<typeof clientOf>;
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await service.workspace();
  token = await service.token(workspaceId, { access: 'write' });
  svc = clientOf(service.app, token);
});

const command = (argv: readonly string[], options: CliOptions = {}): Promise<CliResult> =>
  cli(argv, {
    fetch: fetchOf(service.app),
    ...options,
    env: { SVC_API_KEY: token, SVC_BASE_URL: IN_PROCESS_URL, XDG_CONFIG_HOME: home, ...options.env },
  });

describe('create', () => {
  test('creates a record from fields: text, numbers, and JSON after :=', async () => {
    const { stdout } = await command(['companies', 'create', 'id=com_a', 'name=Acme = more', 'domain:=null']);
    expect(records(stdout)).toEqual([
      expect.objectContaining({ id: 'com_a', name: 'Acme = more', domain: null }),
    ]);
    const audit = ['companyId=com_a', 'headlineScore=74', 'completedAt=2026-03-01T09:30:00Z'];
    expect(records((await command(['audits', 'create', ...audit])).stdout)).toEqual(
      await svc.audits.list().toArray({ max: 9 }),
    );
  });

  test('creates every record of a file or of standard input, and prints how many', async () => {
    const lines = Array.from(
      { length: 1_200 },
      (_, i) => `${JSON.stringify({ id: `com_${i}`, name: `Company ${i}` })}\r\n`,
    );
    const file = join(home, 'companies.ndjson');
    await writeFile(file, `\n${lines.join('')}`);
    const { code, stdout, stderr } = await command(['companies', 'create', '--file', file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'svc: created 1,200 companies.\n' });
    expect(records(stdout).map(({ id }) => id)).toEqual(lines.map((_, i) => `com_${i}`));
    const more = await command(['companies', 'create', '-f', '-'], {
      stdin: '{"name":"One more"}',
      terminal: ['stdout'],
    });
    expect(more).toEqual({ code: 0, stdout: '', stderr: 'svc: created 1 company.\n' });
    expect((await svc.companies.list().toArray({ max: 2_000 })).length).toBe(1_201);
  });

  test('after a broken connection says what may exist, and how to create only the rest', async () => {
    const ndjson = Array.from({ length: 2_500 }, (_, i) => `{"name":"Company ${i}"}\n`).join('');
    const fetchApp = fetchOf(service.app);
    let batches = 0;
    const fetch: Fetch = async (url, init) => {
      batches += 1;
      const answer = await fetchApp(url, init);
      // The responses to the second batch are lost.
      return batches >= 2 ? { ...answer, status: 507, text: async () => '' } : answer;
    };
    const create = ['companies', 'create', '-f', '-'];
    const broken = await command(create, { stdin: ndjson, fetch });
    expect(broken.code).toBe(10);
    expect(broken.stderr).toContain('svc: created 1,000 companies.\n');
    expect(broken.stderr).toContain('svc: the response for 1,000 more was lost. They may exist.\n');
    const [, key = ''] = /--idempotency-key (\S+)/.exec(broken.stderr) ?? [];
    expect((await command([...create, '--idempotency-key', key], { stdin: ndjson })).code).toBe(0);
    expect((await svc.companies.list().toArray({ max: 5_000 })).length).toBe(2_500);
  });

  test('that is interrupted says that a batch more may exist, and how to create only the rest', async () => {
    const lines = Array.from({ length: 3_500 }, (_, i) => `{"id":"com_${i}","name":"Company ${i}"}\n`);
    const stdin = lines.join('');
    const fetchApp = fetchOf(service.app);
    const interruption = new AbortController();
    let batches = 0;
    const fetch: Fetch = async (url, init) => {
      batches += 1;
      const answer = await fetchApp(url, init);
      if (batches < 2) return answer;
      // The second batch is committed, and the command does not learn of it.
      interruption.abort(new Interrupted());
      throw new Error('aborted');
    };
    const create = ['companies', 'create', '-f', '-'];
    const interrupted = await command(create, { stdin, fetch, signal: interruption.signal });
    expect(interrupted.code).toBe(130);
    const [, key = ''] = /--idempotency-key (\S+)/.exec(interrupted.stderr) ?? [];
    expect(interrupted.stderr).toBe(
      [
        'svc: created 1,000 companies.\n',
        'svc: a batch was not finished. Up to 1,000 more may exist.\n',
        `svc: to create only the rest, repeat the command with --idempotency-key ${key} within 24 hours.\n`,
      ].join(''),
    );
    const existing = await svc.companies.list().toArray({ max: 5_000 });
    expect(existing).toHaveLength(2_000);
    const rest = await command([...create, '--idempotency-key', key], { stdin });
    expect(rest).toMatchObject({ code: 0, stderr: 'svc: created 3,500 companies.\n' });
    expect(await svc.companies.list().toArray({ max: 5_000 })).toHaveLength(3_500);
  });

  test('stops at a line that is not a record or that the service refuses, and says how many records exist', async () => {
    const broken = await command(['companies', 'create', '-f', '-'], { stdin: '{"name":"A"}\n[]\n' });
    expect(broken).toMatchObject({ code: 1, stdout: '' });
    expect(broken.stderr).toBe(
      'svc: created 0 companies.\nsvc: Line 2 of standard input is not a JSON object. The input is NDJSON, one JSON object per line, or a JSON array. For CSV, add --input csv.\n',
    );
    const refused = await command(['companies', 'create', '-f', '-'], { stdin: '{"nme":"A"}\n' });
    expect(refused).toMatchObject({ code: 6 });
    expect(refused.stderr).toContain('invalid_body: line 1, /data/0/');
    const stdin = `${'{"name":"A"}\n'.repeat(1_001)}\n{"name":""}\n{"nme":"B"}\n`;
    const late = await command(['companies', 'create', '-f', '-'], { stdin });
    expect(late.stderr).toMatch(/invalid_body: line 1003, \/data\/1\/name .* line 1004, \/data\/2/);
  });

  test.each(['create', 'update', 'delete'])(
    '%s of a file that does not exist prints only that',
    async (verb) => {
      const env = { SVC_API_KEY: await service.token(workspaceId, { mode: 'test', access: 'write' }) };
      const file = join(home, 'none.ndjson');
      const missing = await command(['companies', verb, '--file', file], { env });
      expect(missing).toMatchObject({ code: 1, stdout: '' });
      expect(missing.stderr).toMatch(/^svc: \S+none\.ndjson cannot be read: ENOENT.*\n$/);
    },
  );

  test('with a repeated idempotency key creates nothing again', async () => {
    const argv = ['companies', 'create', 'name=Acme', '--idempotency-key', 'first'];
    expect((await command(argv)).stdout).toBe((await command(argv)).stdout);
    expect((await svc.companies.list()).data).toHaveLength(1);
  });

  test('with a test key says that nothing is changed', async () => {
    const env = { SVC_API_KEY: await service.token(workspaceId, { mode: 'test', access: 'write' }) };
    const { stdout, stderr } = await command(['companies', 'create', 'name=Acme'], { env });
    expect(records(stdout)).toEqual([expect.objectContaining({ name: 'Acme' })]);
    expect(stderr).toBe('svc: this is a test key, so this is a dry run: nothing is changed.\n');
    expect((await svc.companies.list()).data).toEqual([]);
  });
});

test('update changes fields, and with --if-match only if the record has not changed', async () => {
  const { id } = await svc.companies.create({ name: 'Acme' });
  const read = await svc.companies.get(id);
  const ifMatch = ['--if-match', etagOf(read) ?? ''];
  const { stdout } = await command(['companies', 'update', id, 'name=Acme 2', ...ifMatch]);
  expect(records(stdout)).toEqual([expect.objectContaining({ id, name: 'Acme 2' })]);
  const stale = await command(['companies', 'update', id, 'name=Acme 3', ...ifMatch]);
  expect(stale).toMatchObject({ code: 7 });
  expect(stale.stderr).toContain('precondition_failed');
});

test('delete removes a record', async () => {
  const { id } = await svc.companies.create({ name: 'Acme' });
  expect(await command(['companies', 'delete', id])).toEqual({
    code: 0,
    stdout: '',
    stderr: `svc: deleted ${id}.\n`,
  });
  expect(await command(['companies', 'delete', id])).toMatchObject({ code: 5 });
});

describe('delete on a terminal', () => {
  const terminal = ['stdin', 'stderr'] as const;

  test.each(['y\n', 'Yes\n'])('asks, and deletes after %j', async (stdin) => {
    const { id } = await svc.companies.create({ name: 'Acme' });
    expect(await command(['companies', 'delete', id], { stdin, terminal })).toEqual({
      code: 0,
      stdout: '',
      stderr: `Delete the company ${id}? [y/N] svc: deleted ${id}.\n`,
    });
    await expect(svc.companies.get(id)).rejects.toThrow('no such company');
  });

  test.each(['n\n', '\n', '', 'yesterday\n'])('deletes nothing after %j', async (stdin) => {
    const { id } = await svc.companies.create({ name: 'Acme' });
    const file = join(home, 'deleted.ndjson');
    await writeFile(file, `{"id":"${id}"}\n`);
    const one = await command(['companies', 'delete', id], { stdin, terminal });
    expect(one).toMatchObject({ code: 1, stderr: expect.stringMatching(/svc: Nothing is deleted\.\n$/) });
    const many = await command(['companies', 'delete', '--file', file], { stdin, terminal });
    expect(many.code).toBe(1);
    expect(many.stderr).toContain(`Delete every company of ${file}? [y/N]`);
    expect(await svc.companies.get(id)).toMatchObject({ id });
  });

  test('does not ask with --yes, with a test key, or if standard input is not a terminal', async () => {
    const ids = (await svc.companies.createMany([{ name: 'A' }, { name: 'B' }])).map(({ id }) => id);
    const [a = '', b = ''] = ids;
    const test = { SVC_API_KEY: await service.token(workspaceId, { mode: 'test', access: 'write' }) };
    expect(await command(['companies', 'delete', a], { terminal, env: test })).toMatchObject({ code: 0 });
    expect(await command(['companies', 'delete', '-y', a], { terminal })).toMatchObject({ code: 0 });
    expect(await command(['companies', 'delete', b], { terminal: ['stderr'] })).toMatchObject({ code: 0 });
    expect((await svc.companies.list()).data).toEqual([]);
  });

  test('ends when it is interrupted during the question', async () => {
    const { id } = await svc.companies.create({ name: 'Acme' });
    const signal = AbortSignal.abort(new Interrupted());
    expect(await command(['companies', 'delete', id], { stdin: 'y\n', terminal, signal })).toMatchObject({
      code: 130,
    });
    expect(await svc.companies.get(id)).toMatchObject({ id });
  });
});

test('request sends a body from an argument, standard input or a file, also after a byte order mark', async () => {
  const post = ['request', 'POST', '/v1/companies', '--data'];
  expect(records((await command([...post, '{"name":"A"}'])).stdout)).toEqual([
    expect.objectContaining({ name: 'A' }),
  ]);
  expect(records((await command([...post, '-'], { stdin: '\uFEFF{"name":"B"}' })).stdout)).toEqual([
    expect.objectContaining({ name: 'B' }),
  ]);
  await writeFile(join(home, 'c.json'), '{"name":"C"}');
  const named = await command([
    ...post,
    `@${join(home, 'c.json')}`,
    '-H',
    'Idempotency-Key: c',
    '-H',
    'Request-Id: mine',
  ]);
  expect(records(named.stdout)).toEqual([expect.objectContaining({ name: 'C' })]);
});

test('request says that a write with a test key was a dry run, and nothing about a read', async () => {
  const dry = await service.token(workspaceId, { mode: 'test', access: 'write' });
  const env = { SVC_API_KEY: dry };
  const written = await command(['request', 'POST', '/v1/companies', '--data', '{"name":"A"}'], { env });
  expect(written).toMatchObject({
    code: 0,
    stderr: 'svc: this is a test key, so this was a dry run: nothing is changed.\n',
  });
  expect(records(written.stdout)).toEqual([expect.objectContaining({ name: 'A' })]);
  expect(await command(['request', 'GET', '/v1/companies'], { env })).toMatchObject({ code: 0, stderr: '' });
});
