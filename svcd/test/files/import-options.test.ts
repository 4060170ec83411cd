import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { auditOf, exportText, importText, ndjson, workspaceWith } from '@svc/service/harness/import.ts';
import { runSvcd } from '@svc/service/harness/process.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { beforeEach, describe, expect, test } from 'vitest';

const database = await createTestDatabase();
const { pool } = database;
const env = { SVC_DATABASE_URL: database.url, SVC_SECRET: randomBytes(32).toString('base64url') };

let workspace = '';
beforeEach(async () => {
  workspace = await workspaceWith(pool, 'c1');
});

const importFile = (resource: string, input: string, flags: readonly string[]) =>
  runSvcd(['import', resource, '-', '--format', 'ndjson', '--workspace', workspace, ...flags], {
    env,
    input,
  });

const logKinds = async (): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ kind: string }>(
    'select kind from audit_log where workspace_id = $1 order by created_at, id',
    [workspace],
  );
  return rows.map(({ kind }) => kind);
};

describe('svcd import --dry-run', () => {
  test('reports what the import then does, and writes nothing', async () => {
    await importText(pool, workspace, 'audits', ndjson([auditOf('old')]));
    const [records, entries] = [await exportText(pool, workspace, 'audits'), await logKinds()];
    const file = ndjson([
      auditOf('old'),
      auditOf('a'),
      auditOf('a'),
      auditOf('b'),
      auditOf('c', { companyId: 'x' }),
    ]);
    const dry = await importFile('audits', file, ['--dry-run']);
    expect([dry.code, dry.stdout]).toEqual([
      1,
      'This was a dry run: nothing was written.\n2 audits would be imported.\n' +
        '2 audits would stay unchanged, because the id exists.\n1 line would be refused.\n',
    ]);
    expect(dry.stderr).toMatch(/^line 5: \/companyId must be the id of a company/);
    const report = await importFile('audits', file, ['--dry-run', '--json']);
    expect(await exportText(pool, workspace, 'audits')).toBe(records);
    expect(await logKinds()).toEqual(entries);
    const counts = ({ stdout }: { readonly stdout: string }): object => ({
      ...JSON.parse(stdout),
      seconds: 0,
      dryRun: 0,
    });
    expect(counts(await importFile('audits', file, ['--json']))).toEqual(counts(report));
    expect(JSON.parse(report.stdout)).toMatchObject({ dryRun: true, inserted: 2, existing: 2, refused: 1 });
  });

  test('with --atomic says that nothing would be imported if a line is refused', async () => {
    const { code, stdout } = await importFile('audits', ndjson([auditOf('a'), {}]), [
      '--dry-run',
      '--atomic',
    ]);
    expect([code, stdout]).toEqual([
      1,
      'This was a dry run: nothing was written.\nNothing would be imported, because of --atomic.\n1 line would be refused.\n',
    ]);
    expect(await exportText(pool, workspace, 'audits')).toBe('');
  });
});

describe('svcd import --replace', () => {
  const company = (id: string, name: string): object => ({ id, name });

  test('replaces records whose id exists, adds the others, and has entries in the log', async () => {
    const file = ndjson([company('c1', 'Renamed'), company('c2', 'New')]);
    const dry = await importFile('companies', file, ['--replace', '--dry-run']);
    expect([dry.code, dry.stdout]).toEqual([
      0,
      'This was a dry run: nothing was written.\n1 company would be imported.\n' +
        '1 company would be replaced, unless a record may not get the values. A dry run does not check that.\n',
    ]);
    const { code, stdout, stderr } = await importFile('companies', file, ['--replace']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^1 company imported in .*\n1 company replaced\.\n$/);
    const { rows } = await pool.query('select id, name from companies where workspace_id = $1 order by id', [
      workspace,
    ]);
    expect(rows).toEqual([company('c1', 'Renamed'), company('c2', 'New')]);
    expect((await logKinds()).slice(-2)).toEqual(['records.imported', 'records.changed']);
    const again = await importFile('companies', file, ['--replace']);
    expect(again.stdout).toMatch(/^0 companies imported in .*\n2 companies already existed, unchanged\.\n$/);
  });

  test('refuses a line that its record may not change to, and writes the others', async () => {
    await importText(pool, workspace, 'audits', ndjson([auditOf('a')]));
    const file = ndjson([auditOf('a', { headlineScore: 1 }), auditOf('b')]);
    const { code, stdout, stderr } = await importFile('audits', file, ['--replace']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^1 audit imported .*\n1 line refused\.\n$/);
    expect(stderr).toMatch(/^line 1: /);
  });

  test('is refused with --atomic, before the file is read', async () => {
    const { code, stdout, stderr } = await importFile('audits', '', ['--replace', '--atomic']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/--replace.*--atomic/);
  });
});

test('a JSON array is read from a file named .json; an export with such a name is refused', async () => {
  const file = join(await temporaryDirectory(), 'array.json');
  await writeFile(file, JSON.stringify([auditOf('a'), auditOf('b')], null, 2));
  const { code, stdout, stderr } = await runSvcd(['import', 'audits', file, '--workspace', workspace], {
    env,
  });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^2 audits imported/);
  const exported = await runSvcd(['export', 'audits', file, '--workspace', workspace], { env });
  expect(exported).toMatchObject({ code: 2, stdout: '' });
  expect(exported.stderr).toContain('array.json is not known: add --format ndjson or --format csv.');
});
