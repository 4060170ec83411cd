import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { auditOf, exportText, importText, ndjson, workspaceWith } from '@svc/service/harness/import.ts';
import { runSvcd } from '@svc/service/harness/process.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { beforeEach, describe, expect, test } from 'vitest';

const database = await createTestDatabase();
const directory = await temporaryDirectory();
const env = { SVC_DATABASE_URL: database.url, SVC_SECRET: randomBytes(32).toString('base64url') };

let workspace = '';
beforeEach(async () => {
  workspace = await workspaceWith(database.pool, 'c1');
});

async function fileOf(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

const svcd = (args: readonly string[], input?: string) =>
  runSvcd(args, input === undefined ? { env } : { env, input });

const importAudits = (file: string, flags: readonly string[] = [], input?: string) =>
  svcd(['import', 'audits', file, '--workspace', workspace, ...flags], input);

describe('svcd import', () => {
  test('exits with 0 and a report if all records were imported; a repeat says how many already existed', async () => {
    const file = await fileOf('good.ndjson', ndjson([auditOf('a'), auditOf('b')]));
    const first = await importAudits(file);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toMatch(/^2 audits imported in [\d.]+ s \([\d,]+ per second\)\.\n$/);
    const second = await importAudits(file);
    expect([second.code, second.stderr]).toEqual([0, '']);
    expect(second.stdout).toMatch(
      /^0 audits imported in [\d.]+ s\.\n2 audits already existed, unchanged\.\n$/,
    );
  });

  test('exits with 1 if lines were refused, and prints the first 20 and the number of the others', async () => {
    const file = await fileOf(
      'bad.ndjson',
      ndjson([auditOf('a'), ...Array(25).fill({ headlineScore: 500 })]),
    );
    const { code, stdout, stderr } = await importAudits(file);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^1 audit imported .*\n25 lines refused\.\n$/);
    const printed = stderr.trim().split('\n');
    expect(printed.length).toBe(21);
    expect(printed[0]).toMatch(/^line 2: .*\/headlineScore must be an integer from 0 to 100/);
    expect(printed[20]).toBe('… and 5 more lines. --rejects FILE writes all of them to a file.');
  });

  test('text from the file and from the arguments cannot change the terminal', async () => {
    const evil = '\u001b]0;title\u0007\u001b[2J\u009b31m\u202e\r\nline 9: imported';
    const fields = [evil, '\u007f'].map((name) => JSON.stringify({ [name]: 1 }));
    const file = await fileOf('evil.ndjson', [...fields, `{"${evil.replace('\n', '')}`].join('\n'));
    const header = await fileOf('evil.csv', `id,"${evil}"\n`);
    const outputs = [
      await importAudits(file),
      await importAudits(header),
      await importAudits(`${evil}.csv`),
      await importAudits(file, [`--${evil}`]),
      await svcd(['import', evil, file, '--workspace', workspace]),
      await svcd(['export', 'audits', '--format', 'csv', '--workspace', evil]),
    ];
    for (const { code, stdout, stderr } of outputs) {
      expect(code).not.toBe(0);
      expect(stdout + stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    }
    expect(outputs[0]?.stderr).toContain('line 1: ');
    expect(outputs[0]?.stderr).toContain('\\u001b]0;title');
    expect(outputs[0]?.stderr).not.toMatch(/^line 9/m);
  });

  test('--rejects writes every refused line as NDJSON, and --json prints the report as JSON', async () => {
    const file = await fileOf(
      'bad.csv',
      'id,companyId,headlineScore,completedAt\na,c1,500,now\nb,c1,5,2026-03-01T09:30:00Z\n',
    );
    const rejects = join(directory, 'rejects.ndjson');
    const { code, stdout, stderr } = await importAudits(file, ['--rejects', rejects, '--json']);
    expect([code, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout)).toEqual({
      resource: 'audits',
      workspaceId: workspace,
      dryRun: false,
      bytes: expect.any(Number),
      inserted: 1,
      existing: 0,
      refused: 1,
      replaced: 0,
      rolledBack: false,
      interrupted: false,
      seconds: expect.any(Number),
    });
    expect(JSON.parse(await readFile(rejects, 'utf8'))).toEqual({
      line: 2,
      field: '/headlineScore',
      reason: 'must be an integer from 0 to 100',
      text: 'a,c1,500,now',
      also: [{ field: '/completedAt', reason: expect.stringMatching(/ISO 8601/) }],
    });
  });

  test('--rejects refuses the imported file under any of its names, and nothing is overwritten', async () => {
    const text = ndjson([auditOf('a'), auditOf('b', { headlineScore: 500 })]);
    const file = await fileOf('input.ndjson', text);
    const soft = join(directory, 'soft.ndjson');
    const hard = join(directory, 'hard.ndjson');
    await symlink(file, soft);
    await link(file, hard);
    const pairs = [file, soft, hard].flatMap((name) => [
      [file, name],
      [name, file],
    ]);
    for (const [input = '', rejects = ''] of pairs) {
      const { code, stdout, stderr } = await importAudits(input, ['--rejects', rejects]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toBe(
        `svcd: ${rejects} is the imported file. Give another file for the refused lines.\n`,
      );
      expect(await readFile(file, 'utf8')).toBe(text);
    }
    expect(await exportText(database.pool, workspace, 'audits')).toBe('');
  });

  test('--atomic imports nothing if a line is refused', async () => {
    const { code, stdout } = await importAudits(
      '-',
      ['--format', 'ndjson', '--atomic'],
      `${ndjson([auditOf('a')])}{}`,
    );
    expect(code).toBe(1);
    expect(stdout).toBe('Nothing was imported, because of --atomic.\n1 line refused.\n');
    expect(await exportText(database.pool, workspace, 'audits')).toBe('');
  });

  test('exits with 2 and a reason if the import is not possible', async () => {
    const csv = await fileOf('wrong.csv', 'id,score\na,1\n');
    const broken = { ...env, SVC_DATABASE_URL: database.url.replace(/test_\w+/, 'none') };
    for (const [args, reason] of [
      [['import', 'audits', 'none.ndjson', '--workspace', workspace], /none\.ndjson cannot be read/],
      [['import', 'audits', directory, '--workspace', workspace, '--format', 'csv'], /it is a directory/],
      [['import', 'audits', csv, '--workspace', 'wks_none'], /There is no workspace "wks_none"/],
      [['import', 'audits', csv, '--workspace', workspace], /unknown columns: "score"/],
      [['import', 'audits', '-', '--workspace', workspace], /add --format ndjson or --format csv/],
      [['import', 'audits', 'file.txt', '--workspace', workspace], /add --format/],
      [['import', 'audits', csv, '--workspace', workspace, '--rejects', directory], /cannot be written/],
      [
        ['import', 'keys', csv, '--workspace', workspace],
        /Allowed choices are audits, mentions, content, companies/,
      ],
      [['import', 'audits', csv], /--workspace/],
      [
        ['import', 'audits', csv, '--workspace', workspace, '--format', 'xml'],
        /Allowed choices are ndjson, csv/,
      ],
    ] as const) {
      const { code, stdout, stderr } = await svcd(args);
      expect([code, stdout], stderr).toEqual([2, '']);
      expect(stderr).toMatch(reason);
    }
    const away = await runSvcd(['import', 'audits', csv, '--workspace', workspace], { env: broken });
    expect([away.code, away.stdout]).toEqual([2, '']);
    expect(away.stderr).toMatch(/^svcd: /);
  });
});

describe('svcd export', () => {
  test('writes a file that svcd import can read, or the same text to standard output', async () => {
    await importText(database.pool, workspace, 'audits', ndjson([auditOf('a'), auditOf('b')]));
    const file = join(directory, 'audits.csv');
    const written = await svcd(['export', 'audits', file, '--workspace', workspace]);
    expect([written.code, written.stdout, written.stderr]).toEqual([0, '', `Wrote 2 audits to ${file}.\n`]);
    const streamed = await svcd(['export', 'audits', '--workspace', workspace, '--format', 'csv']);
    expect([streamed.code, streamed.stdout, streamed.stderr]).toEqual([0, await readFile(file, 'utf8'), '']);
    const other = await workspaceWith(database.pool, 'c1');
    const imported = await svcd(['import', 'audits', file, '--workspace', other]);
    expect(imported.code).toBe(0);
    expect(await exportText(database.pool, other, 'audits')).toBe(
      await exportText(database.pool, workspace, 'audits'),
    );
  });

  test('--csv-safe turns formulas into text, in CSV only', async () => {
    await importText(database.pool, workspace, 'companies', ndjson([{ id: 'f', name: '=1+1' }]));
    const args = ['export', 'companies', '--workspace', workspace, '--csv-safe'];
    const safe = await svcd([...args, '--format', 'csv']);
    expect([safe.code, safe.stderr]).toEqual([0, '']);
    expect(safe.stdout).toMatch(/^f,'=1\+1,/m);
    const refused = await svcd([...args, '--format', 'ndjson']);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toBe('svcd: --csv-safe needs --format csv.\n');
  });

  test('leaves no partial file when it fails, and does not change the existing one', async () => {
    const file = await fileOf('kept.ndjson', 'kept');
    const failed = await svcd(['export', 'audits', file, '--workspace', 'wks_none']);
    expect([failed.code, failed.stdout]).toEqual([1, '']);
    expect(failed.stderr).toMatch(/There is no workspace/);
    expect(await readFile(file, 'utf8')).toBe('kept');
    expect((await readdir(directory)).filter((name) => name.startsWith('kept'))).toEqual(['kept.ndjson']);
    const occupied = join(directory, 'occupied.csv');
    await mkdir(occupied);
    const refused = await svcd(['export', 'audits', occupied, '--workspace', workspace]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/occupied\.csv cannot be written/),
    ]);
  });
});
