import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this program's own migrations. */
const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../migrations', import.meta.url));

/** One numbered SQL file. `sha256` (hexadecimal) is what guards it against an edit after it has landed. */
export type MigrationFile = {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
};

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

/**
 * Reads the migrations of a folder in their order. The numbers run from 0001 without a gap: two branches
 * that both added the next number are noticed here, before any database is touched.
 */
export async function readMigrationFiles(directory: string = MIGRATIONS_DIRECTORY): Promise<MigrationFile[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(names.map((name, index) => readMigrationFile(directory, name, index + 1)));
}

async function readMigrationFile(directory: string, name: string, expected: number): Promise<MigrationFile> {
  const number = Number(FILE_NAME.exec(name)?.[1] ?? Number.NaN);
  if (number !== expected) {
    const wanted = String(expected).padStart(4, '0');
    throw new Error(
      `migration ${join(directory, name)} should be number ${wanted}, as in ${wanted}_name.sql`,
    );
  }
  const sql = await readFile(join(directory, name), 'utf8');
  return { number, name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
}
