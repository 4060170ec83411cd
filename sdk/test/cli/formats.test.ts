import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { createTestService } from '@svc/service/harness/service.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, test } from 'vitest';
import { fetchOf, IN_PROCESS_URL } from '../client.ts';
import { type CliOptions, type CliResult, cli, records } from './cli.ts';

const service = await createTestService();
const workspaceId = await service.workspace();
const token = await service.token(workspaceId, { mode: 'test', access: 'write' });
const home = await temporaryDirectory();

const command = (argv: string, options: CliOptions = {}): Promise<CliResult> =>
  cli(argv.split(' '), {
    fetch: fetchOf(service.app),
    ...options,
    env: { SVC_API_KEY: token, SVC_BASE_URL: IN_PROCESS_URL, XDG_CONFIG_HOME: home },
  });

const AWKWARD = 'a "quoted", comma\nand line';
const HOSTILE = 'red \u001b[31m \u009b2J \u202e txt \u0007';
const at = (i: number): string => `2026-03-01T09:30:00.00000${i}Z`;
const company = { id: 'com_a', name: 'Acme', createdAt: at(0) };
const base = {
  companyId: 'com_a',
  url: 'https://news.example.com/1',
  excerpt: 'x'.repeat(300),
  publishedAt: '2026-02-27T06:00:00.123Z',
};
const formula = { id: 'com_f', name: '=cmd|"/C calc"!A0', domain: '-1.example', createdAt: at(1) };
await seedRecords(service.pool, workspaceId, resourceNamed('companies'), [company, formula]);
await seedRecords(service.pool, workspaceId, resourceNamed('mentions'), [
  { ...base, id: 'men_awkward', title: AWKWARD, createdAt: at(1) },
  { ...base, id: 'men_hostile', title: HOSTILE, createdAt: at(2) },
  { ...base, id: 'men_wide', title: '日本語のとても長い題名です、本当に長い', createdAt: at(3) },
]);
const onTerminal = (columns: number): CliOptions => ({ terminal: ['stdout', 'stderr'], columns });

test('records are NDJSON in a pipe and a table on a terminal', async () => {
  expect(records((await command('mentions list')).stdout)).toHaveLength(3);
  const { stdout } = await command('mentions list', onTerminal(200));
  expect(stdout.split('\n')[0]).toMatch(/^id +companyId +source/);
});

test('the first line of a table is bold on a terminal with colors, and nothing is in a file', async () => {
  const { stdout } = await command('companies list', { ...onTerminal(200), colors: true });
  const [first = '', second = ''] = stdout.split('\n');
  const [bold, plain] = ['\u001b[1m', '\u001b[22m'];
  expect(first.startsWith(`${bold}id `) && first.endsWith(`createdAt${plain}`)).toBe(true);
  expect(second).not.toContain('\u001b');
  expect((await command('companies list', onTerminal(200))).stdout).not.toContain('\u001b');
  expect((await command('companies list --format table', { colors: true })).stdout).not.toContain('\u001b');
});

test.each([40, 80, 120, 200])('a table fits a terminal of %d columns, with complete ids', async (columns) => {
  const { stdout } = await command('mentions list', onTerminal(columns));
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(4);
  for (const id of ['men_awkward', 'men_hostile', 'men_wide']) expect(stdout).toContain(id);
  // An East Asian character takes two columns.
  const width = (line: string): number => line.length + (line.match(/[\u3000-\u9fff]/g)?.length ?? 0);
  for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
});

test('a table in a pipe is as wide as its contents', async () => {
  expect((await command('mentions list --format table')).stdout).toContain('x'.repeat(300));
});

test('text of a record cannot move the cursor or change the colours of a terminal', async () => {
  for (const format of ['table', 'json', 'ndjson', 'csv']) {
    const { stdout } = await command(`mentions list --format ${format}`, onTerminal(200));
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
  }
  const { stdout } = await command('mentions list --format json', onTerminal(200));
  expect(JSON.parse(stdout)[1].title).toBe(HOSTILE);
});

test('CSV quotes values that need it, and has its header even without records', async () => {
  const { stdout } = await command('mentions list --format csv');
  const [header] = stdout.split('\n');
  expect(header).toBe('id,companyId,source,url,title,excerpt,sentiment,publishedAt,createdAt');
  expect(stdout).toContain('"a ""quoted"", comma\nand line"');
  expect((await command('content list --format csv')).stdout).toBe(
    'id,companyId,title,url,status,createdAt,updatedAt,publishedAt\n',
  );
});

test('CSV writes an empty text as a quoted cell and no value as an empty one, so that svc reads it back', async () => {
  const texts = ['companyId', 'source', 'url', 'title', 'excerpt', 'sentiment', 'publishedAt'];
  const csv = `${texts.join()}\ncom_a,web,https://example.com/,Plant,"",neutral,2026-03-01T00:00:00Z\n`;
  const written = ['mentions create --file - --input csv --format csv --fields', texts.join()].join(' ');
  const { code, stdout } = await command(written, { stdin: csv });
  expect([code, stdout]).toEqual([0, csv]);
  const again = await command(written, { stdin: stdout });
  expect([again.code, again.stdout]).toEqual([0, csv]);
  const draft = 'companyId,title,url\ncom_a,Notes,\n';
  const content = await command(
    'content create --file - --input csv --format csv --fields companyId,title,url',
    {
      stdin: draft,
    },
  );
  expect([content.code, content.stdout]).toEqual([0, draft]);
});

test('CSV contains the records unchanged, or with --csv-safe without formulas', async () => {
  const line = async (flags: string): Promise<string> =>
    (await command(`companies get com_f ${flags}`)).stdout.split('\n')[1] ?? '';
  expect(await line('--format csv')).toMatch(/^com_f,"=cmd\|""\/C calc""!A0",-1\.example,/);
  expect(await line('--format csv --csv-safe')).toMatch(/^com_f,"'=cmd\|""\/C calc""!A0",'-1\.example,/);
  const refused = await command('companies get com_f --csv-safe');
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('--csv-safe requires --format csv.');
});

test('JSON is one array, even without records', async () => {
  expect(JSON.parse((await command('mentions list --format json')).stdout)).toHaveLength(3);
  expect(JSON.parse((await command('content list --format json')).stdout)).toEqual([]);
});

test.each(['table', 'ndjson', 'json', 'csv'])(
  '--fields chooses the fields and their order: %s',
  async (format) => {
    const { stdout } = await command(`companies list --fields name,id --limit 1 --format ${format}`);
    const expected = {
      table: /^name +id\n=cmd.* +com_f\n$/,
      ndjson: /^{"name":"=cmd.*","id":"com_f"}\n$/,
      json: /^\[\n{"name":"=cmd.*","id":"com_f"}\n\]\n$/,
      csv: /^name,id\n"=cmd.*",com_f\n$/,
    };
    expect(stdout).toMatch(expected[format as keyof typeof expected]);
  },
);

test('--json and --fields apply to one record too', async () => {
  const { stdout } = await command('companies get com_a --json --fields id,name');
  expect(stdout).toBe('{\n  "id": "com_a",\n  "name": "Acme"\n}\n');
  expect(JSON.parse((await command('mentions list --json', onTerminal(80))).stdout)).toHaveLength(3);
  const detail = await command('companies get com_a --fields name', onTerminal(80));
  expect(detail.stdout).toBe('name  Acme\n');
});

test('on a terminal, one record has one line per field', async () => {
  const { stdout } = await command('companies get com_a', onTerminal(80));
  expect(stdout).toMatch(/^id {9}com_a\nname {7}Acme\ndomain/);
  expect(records((await command('companies get com_a')).stdout)).toEqual([
    expect.objectContaining({ id: 'com_a' }),
  ]);
  expect((await command('companies get com_a --format csv')).stdout).toMatch(
    /^id,name,domain,createdAt\ncom_a,Acme,/,
  );
});

test('a long list shows its progress on standard error, only if that is a terminal and the records go elsewhere', async () => {
  let now = 0;
  const clock = () => {
    now += 200;
    return now;
  };
  const shown = await command('mentions list', { terminal: ['stderr'], now: clock });
  expect(shown.stderr).toContain('3 mentions, 15/s');
  expect(shown.stderr.endsWith('\r\u001b[K')).toBe(true);
  expect((await command('mentions list', { now: clock })).stderr).toBe('');
  expect((await command('mentions list', { ...onTerminal(80), now: clock })).stderr).toBe('');
});
