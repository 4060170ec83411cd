import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RESOURCES } from '@svc/sdk';
import { bigQuery, COMPANY, LISTS, type ListCase } from '@svc/service/harness/lists.ts';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { createWorld, ITEMS } from '@svc/service/harness/world.ts';
import { describe, expect, test } from 'vitest';
import { clientOf, fetchOf, IN_PROCESS_URL } from '../client.ts';
import { type CliOptions, type CliResult, cli, records } from './cli.ts';

const { service, workspaceId, token } = await createWorld();
const home = await temporaryDirectory();
const svc = clientOf(service.app, token);

const command = (argv: string, options: CliOptions = {}): Promise<CliResult> =>
  cli(argv.split(' '), {
    fetch: fetchOf(service.app),
    ...options,
    env: { SVC_API_KEY: token, SVC_BASE_URL: IN_PROCESS_URL, XDG_CONFIG_HOME: home, ...options.env },
  });

const ids = ({ stdout }: CliResult): readonly unknown[] => records(stdout).map(({ id }) => id);
const orderOf = async (name: string, sort?: string, equal = {}): Promise<readonly string[]> => {
  const list = LISTS.find((candidate) => candidate.name === name) as ListCase;
  return bigQuery(service.pool, workspaceId, list, { ...(sort === undefined ? {} : { sort }), equal });
};

describe.each(LISTS)('svc $name', ({ name }) => {
  test('list prints every record as NDJSON in a pipe, newest first', async () => {
    const result = await command(`${name} list`);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(ids(result)).toEqual(await orderOf(name));
    expect(ids(await command(`${name} list --all --reverse`))).toEqual((await orderOf(name)).toReversed());
  });

  test('get prints a record as the list shows it', async () => {
    const [first] = records((await command(`${name} list -n 1`)).stdout);
    expect(records((await command(`${name} get ${String(first?.['id'])}`)).stdout)).toEqual([first]);
  });

  test('tail --once --after start prints every record, oldest first', async () => {
    expect(ids(await command(`${name} tail --once --after start`))).toEqual(
      await orderOf(name, 'created-ascending'),
    );
  });
});

describe.each(Object.values(RESOURCES))('svc $name', ({ name }) => {
  test.each(['list', 'get', 'tail'])(
    '%s --help lists its options, and the general help lists the resource',
    async (verb) => {
      const { code, stdout, stderr } = await command(`${name} ${verb} --help`);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`Usage: svc ${name} ${verb}`);
      expect(stdout).toContain('--format FORMAT');
      for (const help of ['--help', 'help', '-h', `${name} --help`, `help ${name}`, name]) {
        expect((await command(help)).stdout).toContain(help.includes(name) ? `svc ${name}` : name);
      }
    },
  );
});

test('--limit is the number of records, however many pages it needs', async () => {
  const rows = Array.from({ length: 230 }, (_, i) => ({
    id: `men_many_${i}`,
    companyId: COMPANY,
    createdAt: `2026-02-01T00:00:00.${String(i).padStart(6, '0')}Z`,
  }));
  await seedRecords(service.pool, workspaceId, resourceNamed('mentions'), rows);
  const all = await orderOf('mentions');
  for (const limit of [1, 99, 100, 101, 200, 241]) {
    expect(ids(await command(`mentions list --limit ${limit}`))).toEqual(all.slice(0, limit));
  }
  expect(ids(await command('mentions list'))).toEqual(all.slice(0, 50));
  expect(ids(await command('mentions list --all'))).toEqual(all);
});

test('filters and sorts are options', async () => {
  const byScore = await orderOf('audits', 'score-ascending', { company_id: COMPANY });
  expect(ids(await command(`audits list --sort score-ascending --company ${COMPANY}`))).toEqual(byScore);
  const drafts = await orderOf('content', undefined, { status: 'draft' });
  expect(ids(await command('content list --status draft'))).toEqual(drafts);
  const requests = await orderOf('audit-log', undefined, { kind: 'api.request' });
  expect(ids(await command('audit-log list --kind api.request'))).toEqual(requests);
});

test('a list and a tail can search, if the resource can be searched', async () => {
  const row = {
    id: 'men_searched',
    companyId: COMPANY,
    title: 'Launch of a zebra',
    createdAt: '2026-02-02T00:00:00Z',
  };
  await seedRecords(service.pool, workspaceId, resourceNamed('mentions'), [row]);
  for (const list of ['list', 'tail --once --after start'])
    expect(ids(await command(`mentions ${list} --q zeb`))).toEqual(['men_searched']);
  expect(await command('audits tail --q zeb')).toMatchObject({ code: 2, stdout: '' });
});

test('count prints a number, or an object with --json', async () => {
  expect((await command('audits count')).stdout).toBe(`${ITEMS}\n`);
  expect(JSON.parse((await command('audits count --approximate --json')).stdout)).toMatchObject({
    approximate: true,
  });
});

test('request prints any response unchanged', async () => {
  const { stdout } = await command('request GET /v1/audits?limit=2');
  expect(JSON.parse(stdout)).toEqual({ ...(await svc.audits.list({ limit: 2 })) });
  expect((await command('request get /healthz')).stdout).toBe('{"status":"ok"}\n');
  const exported = await command('request GET /v1/companies/export');
  const { data } = await svc.companies.list({ limit: 100 });
  const lines = [...data].reverse().map((each) => `${JSON.stringify(each)}\n`);
  expect(exported).toEqual({ code: 0, stdout: lines.join(''), stderr: '' });
  expect(await command('request HEAD /v1/companies/export')).toEqual({ code: 0, stdout: '', stderr: '' });
  const page = await command('request GET /docs');
  expect(page).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('not JSON') });
  expect(await command('request DELETE /v1/audits/aud_x')).toMatchObject({ code: 6, stdout: '' });
});

test('a tail whose position cannot be written names the file, not the temporary one', async () => {
  const file = join(home, 'none/position');
  expect(await command(`audits tail --once --position ${file}`)).toEqual({
    code: 1,
    stdout: '',
    stderr: `svc: ${file} cannot be written: Its directory does not exist.\n`,
  });
});

test.each(['audits tail', 'changes tail'])('%s names a position file that has none', async (tail) => {
  const file = join(home, 'other-text');
  for (const text of ['', 'two words\n']) {
    await writeFile(file, text);
    const { code, stderr } = await command(`${tail} --once --position ${file}`);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `svc: ${file} has no position. Remove it, or name the file of an earlier run.\n`,
    });
  }
  expect(await command(`${tail} --once --position ${home}`)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/cannot be read: EISDIR/),
  });
});

test('a tail keeps its position in a file, and continues there', async () => {
  const file = join(home, 'position');
  expect(ids(await command(`audits tail --once --position ${file}`))).toEqual([]);
  const rows = ['a', 'b'].map((id) => ({
    id: `aud_tail_${id}`,
    companyId: COMPANY,
    createdAt: `2026-04-01T00:00:0${id === 'a' ? 1 : 2}Z`,
  }));
  await seedRecords(service.pool, workspaceId, resourceNamed('audits'), rows);
  expect(ids(await command(`audits tail --once --position ${file}`))).toEqual(['aud_tail_a', 'aud_tail_b']);
  expect(ids(await command(`audits tail --once --position ${file}`))).toEqual([]);
  const position = (await readFile(file, 'utf8')).trim();
  expect(ids(await command(`audits tail --once --after ${position}`))).toEqual([]);
  expect((await stat(file)).isFile()).toBe(true);
});

test('a tail that ends before the first record has stored its position', async () => {
  const file = join(home, 'begun');
  const { Interrupted } = await import('../../src/cli/io.ts');
  const controller = new AbortController();
  const polled = fetchOf(service.app);
  const { code } = await command(`audits tail --position ${file}`, {
    signal: controller.signal,
    fetch: async (url, init) => {
      if (url.includes('direction=before')) controller.abort(new Interrupted());
      return polled(url, init);
    },
  });
  expect(code).toBe(130);
  const row = { id: 'aud_tail_c', companyId: COMPANY, createdAt: '2026-04-02T00:00:00Z' };
  await seedRecords(service.pool, workspaceId, resourceNamed('audits'), [row]);
  expect(ids(await command(`audits tail --once --position ${file}`))).toEqual(['aud_tail_c']);
});

test('Ctrl-C ends a waiting tail, with code 130 and without a message', async () => {
  const { Interrupted } = await import('../../src/cli/io.ts');
  const controller = new AbortController();
  const polled = fetchOf(service.app);
  const result = command('audits tail', {
    signal: controller.signal,
    fetch: async (url, init) => {
      const answer = await polled(url, init);
      if (url.includes('direction=before')) controller.abort(new Interrupted());
      return answer;
    },
  });
  expect(await result).toEqual({ code: 130, stdout: '', stderr: '' });
});
