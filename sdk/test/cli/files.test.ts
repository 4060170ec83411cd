import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Svc, SvcNotFoundError } from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { clientOf, fetchOf, IN_PROCESS_URL } from '../client.ts';
import { type CliOptions, type CliResult, cli, records } from './cli.ts';

const service = await createTestService();
const home = await temporaryDirectory();
let workspaceId: string;
let token: string;
let svc: Svc;

beforeEach(async () => {
  workspaceId = await service.workspace();
  token = await service.token(workspaceId, { access: 'write' });
  svc = clientOf(service.app, token);
});

const command = (argv: string, options: CliOptions = {}): Promise<CliResult> =>
  cli(argv.split(' '), {
    fetch: fetchOf(service.app),
    ...options,
    env: { SVC_API_KEY: token, SVC_BASE_URL: IN_PROCESS_URL, XDG_CONFIG_HOME: home, ...options.env },
  });

const namesOf = async (): Promise<readonly string[]> =>
  (await svc.companies.list().before().toArray({ max: 100 })).map(({ name }) => name);

describe('a CSV file', () => {
  test('is read by its name, or with --input csv', async () => {
    const file = join(home, 'companies.CSV');
    await writeFile(file, '\uFEFFname,domain\r\n"Acme, ""Inc""",acme.example\r\n\r\n"two\nlines",\r\n');
    const { code, stdout, stderr } = await command(`companies create --file ${file} --fields name,domain`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'svc: created 2 companies.\n' });
    expect(records(stdout)).toEqual([
      { name: 'Acme, "Inc"', domain: 'acme.example' },
      { name: 'two\nlines', domain: null },
    ]);
    const { id = '' } = (await svc.companies.list({ limit: 1 })).data[0] ?? {};
    const audits = `companyId,headlineScore,completedAt\n${id},74,2026-03-01T09:30:00Z\n`;
    const created = await command('audits create --file - --input csv', { stdin: audits });
    expect(created).toMatchObject({ code: 0, stderr: 'svc: created 1 audit.\n' });
    expect((await svc.audits.list()).data).toMatchObject([{ companyId: id, headlineScore: 74 }]);
  });

  test.each([';', '\t'])('has the separator of its header: %j', async (separator) => {
    const stdin = `name|domain\n"A${separator}B, C"|a.example\nD, E|\n`.replaceAll('|', separator);
    const { code } = await command('companies create --file - --input csv', { stdin });
    expect(code).toBe(0);
    expect(await namesOf()).toEqual([`A${separator}B, C`, 'D, E']);
    await command('companies create --file - --input csv', { stdin: 'name\nF;G\n' });
    expect(await namesOf()).toContain('F;G');
  });

  test.each([
    [
      'name,domian\nA,b\n',
      'has the column "domian", which cannot be set; did you mean domain? The columns can be id, name, domain.',
    ],
    ['name,createdAt\nA,b\n', 'has the column "createdAt", which cannot be set'],
    ['name;domain\nA,b\n', 'Line 2 of standard input has 1 cells, and its header has 2.'],
    ['name,name\nA,b\n', 'has the column name twice.'],
    ['name\nA,b\n', 'Line 2 of standard input has 2 cells, and its header has 1.'],
    ['name\nA"\n', 'Line 2 of standard input has a quote in a cell that does not start with one.'],
    ['name\n"A\nB\n', 'Line 2 of standard input has a quote that is not closed.'],
    ['name\n"A"B\n', 'Line 2 of standard input has text after the closing quote of a cell.'],
    [`name\n"${'x\n'.repeat(600_000)}`, 'is too long, or a quote in it is not closed.'],
    ['', 'standard input is empty. CSV needs a header with the names of fields.'],
  ])('that is broken is refused with its line, and creates nothing: %#', async (stdin, message) => {
    const { code, stdout, stderr } = await command('companies create --file - --input csv', { stdin });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(await namesOf()).toEqual([]);
  });
});

test('a file named .json with an array is read', async () => {
  const file = join(home, 'companies.json');
  await writeFile(file, JSON.stringify([{ name: 'One' }, { name: 'Two' }], null, 2));
  const { code, stderr } = await command(`companies create --file ${file}`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'svc: created 2 companies.\n' });
  expect(await namesOf()).toEqual(['One', 'Two']);
});

describe('update and delete with --file', () => {
  test('change the records of NDJSON and CSV, and print them', async () => {
    const companies = await svc.companies.createMany([{ name: 'A' }, { name: 'B' }, { name: 'C' }]);
    const [a, b, c] = companies.map(({ id }) => id);
    const ndjson = `{"id":"${a}","name":"A2"}\n{"id":"${b}","domain":"b.example"}\n`;
    const updated = await command('companies update --file - --json --fields name,domain', { stdin: ndjson });
    expect(updated.stderr).toBe('svc: updated 2 companies.\n');
    expect(JSON.parse(updated.stdout)).toEqual([
      { name: 'A2', domain: null },
      { name: 'B', domain: 'b.example' },
    ]);
    const csv = `id,name,domain\n${b},B2,\n${c},C2,c.example\n`;
    await command('companies update --file - --input csv', { stdin: csv });
    expect(await namesOf()).toEqual(['A2', 'B2', 'C2']);
    expect(await svc.companies.get(b ?? '')).toMatchObject({ domain: 'b.example' });
    // What list prints is a file for delete.
    const listed = (await command('companies list --limit 2')).stdout;
    const deleted = await command('companies delete --file -', { stdin: listed });
    expect(deleted).toEqual({ code: 0, stdout: '', stderr: 'svc: deleted 2 companies.\n' });
    expect(await namesOf()).toEqual(['A2']);
  });

  test('report a record that the service refuses, go on, and end with exit code 6', async () => {
    const { id } = await svc.companies.create({ name: 'A' });
    const stdin = `{"id":"com_none"}\n\n{"id":"${id}"}\n`;
    expect(await command('companies delete -f -', { stdin })).toEqual({
      code: 6,
      stdout: '',
      stderr:
        'svc: line 1, com_none: not_found: There is no such company.\nsvc: deleted 1 company.\nsvc: The service refused 1 company.\n',
    });
    await expect(svc.companies.get(id)).rejects.toThrow(SvcNotFoundError);
  });

  test('report a record of another company than that of the key, and go on', async () => {
    await svc.companies.createMany(['com_a', 'com_b'].map((id) => ({ id, name: id })));
    const titles = ['A', 'B', 'C'].map((title) => ({ id: `con_${title}`, companyId: 'com_a', title }));
    await svc.content.createMany(titles);
    const limited = await service.token(workspaceId, { access: 'write', companyId: 'com_a' });
    const other = '/companyId must be com_a, because this key is limited to one company.';
    const lines = titles.map(({ id }) => `{"id":"${id}","title":"New"}`);
    lines[1] = '{"id":"con_B","companyId":"com_b"}';
    for (const [stdin, refused, updated] of [
      [lines.join('\n'), 2, 2],
      [String(lines[1]), 1, 0],
    ] as const)
      expect(await command('content update -f -', { stdin, env: { SVC_API_KEY: limited } })).toMatchObject({
        code: 6,
        stderr: `svc: line ${refused}, con_B: insufficient_scope: ${other}\nsvc: updated ${updated} content items.\nsvc: The service refused 1 content item.\n`,
      });
    expect((await svc.content.list().before()).data).toMatchObject(
      ['New', 'B', 'New'].map((title) => ({ companyId: 'com_a', title })),
    );
    const stdin = '{"companyId":"com_a","title":"D"}\n\n{"companyId":"com_b","title":"E"}';
    const created = await command('content create -f -', { stdin, env: { SVC_API_KEY: limited } });
    expect(created.stderr).toContain(`line 3, /data/1${other}`);
  });

  test('name the item of a JSON array, and continue there', async () => {
    await svc.companies.createMany(['com_a', 'com_b'].map((id) => ({ id, name: id })));
    const stdin = JSON.stringify([{ id: 'com_none' }, { id: 'com_a' }, { id: 'com_b' }], null, 2);
    const first = await command('companies delete -f -', { stdin });
    expect(first.stderr).toContain('svc: item 1, com_none: not_found');
    const second = await command('companies update -f - --from-line 3', { stdin: '[{},\n{},\n{}]' });
    expect(second.stderr).toContain('Item 3 of standard input has no id.');
  });

  test('send batches, and only divide those with a refused record', async () => {
    const all = Array.from({ length: 1_200 }, (_, i) => ({ id: `com_${i}`, name: `N${i}` }));
    await svc.companies.createMany(all);
    const sent: string[] = [];
    const send = fetchOf(service.app);
    const counted: CliOptions = {
      fetch: (url, init) => {
        sent.push(`${init?.method} ${new URL(String(url)).pathname}`);
        return send(url, init);
      },
    };
    const stdin = all.map(({ id }) => JSON.stringify({ id, name: `${id} changed` })).join('\n');
    const updated = await command('companies update -f -', { ...counted, stdin });
    expect(updated).toMatchObject({ code: 0, stderr: 'svc: updated 1,200 companies.\n' });
    expect(records(updated.stdout).map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(sent).toEqual(['PATCH /v1/companies/batch', 'PATCH /v1/companies/batch']);
    sent.splice(0);
    // One unknown id and one that is there twice, from the second line on.
    const lines = [...all.slice(0, 100), { id: 'com_none' }, ...all.slice(100, 200), all[7]];
    const deleted = await command('companies delete -f - --from-line 2', {
      ...counted,
      stdin: lines.map((line) => JSON.stringify(line)).join('\n'),
    });
    expect(deleted.code).toBe(6);
    expect(deleted.stderr).toBe(
      'svc: line 101, com_none: not_found: There is no such company.\nsvc: line 202, com_7: not_found: There is no such company.\nsvc: deleted 199 companies.\nsvc: The service refused 2 companies.\n',
    );
    expect(sent.length).toBeLessThan(40);
    expect(await svc.companies.get('com_0')).toMatchObject({ name: 'com_0 changed' });
    await expect(svc.companies.get('com_199')).rejects.toThrow(SvcNotFoundError);
  });

  test('say where to continue when the service fails, and continue there', async () => {
    const all = Array.from({ length: 1_500 }, (_, i) => ({ id: `com_${i}`, name: `N${i}` }));
    await svc.companies.createMany(all);
    const send = fetchOf(service.app);
    let requests = 0;
    const breaking: CliOptions = {
      fetch: (url, init) => {
        requests += 1;
        if (requests > 1) throw new TypeError('fetch failed', { cause: new Error('the cable is cut') });
        return send(url, init);
      },
    };
    const stdin = all.map(({ id }) => JSON.stringify({ id, name: 'new' })).join('\n');
    const cut = await command('companies update -f -', { ...breaking, stdin });
    expect(cut.code).toBe(9);
    expect(cut.stderr).toContain(
      'svc: updated 1,000 companies.\nsvc: to continue, repeat the command with --from-line 1001.',
    );
    const rest = await command('companies update -f - --from-line 1001', { stdin });
    expect(rest).toMatchObject({ code: 0, stderr: 'svc: updated 500 companies.\n' });
    expect(
      new Set(
        await svc.companies
          .list()
          .toArray({ max: 2_000 })
          .then((some) => some.map(({ name }) => name)),
      ),
    ).toEqual(new Set(['new']));
  });

  test('stop at once when the next record would fail too, and say how many were changed', async () => {
    const [a, b] = await svc.companies.createMany([{ name: 'A' }, { name: 'B' }]);
    const stdin = `{"id":"${a?.id}","name":"A2"}\n{"name":"B2"}\n{"id":"${b?.id}","name":"B2"}\n`;
    const broken = await command('companies update -f -', { stdin });
    const hint = `correct line 2 and repeat the command with --from-line 2, or skip it with --from-line 3.\nsvc: `;
    const stderr = `svc: updated 1 company.\nsvc: to continue, ${hint}Line 2 of standard input has no id.\n`;
    expect(broken).toMatchObject({ code: 1, stderr });
    const reader = await service.token(await service.workspace());
    const refused = await command('companies delete -f -', { stdin, env: { SVC_API_KEY: reader } });
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('svc: deleted 0 companies.\nsvc: insufficient_scope');
    expect(await namesOf()).toEqual(['A2', 'B']);
  });

  test('delete needs --yes for records that are typed, because the answer would be one of them', async () => {
    const { id } = await svc.companies.create({ name: 'A' });
    const typed: CliOptions = { stdin: `{"id":"${id}"}\n`, terminal: ['stdin', 'stderr'] };
    const refused = await command('companies delete -f -', typed);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
    expect(await namesOf()).toEqual(['A']);
    expect(await command('companies delete -f - --yes', typed)).toMatchObject({ code: 0 });
    expect(await namesOf()).toEqual([]);
  });

  test.each([
    ['companies update com_a --file x', 'Give either arguments or --file, not both.'],
    ['companies delete --file x --if-match y', 'Use either --if-match or --file, not both.'],
    ['companies create --file x --input xml', '--input must be one of ndjson, csv, not "xml".'],
  ])('%s is refused', async (argv, message) => {
    const result = await command(argv);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(message);
  });
});
