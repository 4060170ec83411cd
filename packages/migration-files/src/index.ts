import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A numbered SQL file. `sha256` (hexadecimal) shows whether it was edited after it had been applied. */
export type MigrationFile = {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
};

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

/**
 * Reads the migrations of a folder in order. Throws unless their numbers are 0001, 0002 and so on, so that two branches
 * cannot add the same number.
 */
export async function readMigrationFiles(directory: string): Promise<MigrationFile[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(names.map((name, index) => readMigrationFile(directory, name, index + 1)));
}

async function readMigrationFile(directory: string, name: string, expected: number): Promise<MigrationFile> {
  const number = Number(FILE_NAME.exec(name)?.[1] ?? Number.NaN);
  if (number !== expected) {
    const path = join(directory, name);
    const wanted = String(expected).padStart(4, '0');
    throw new Error(`migration ${path} should be number ${wanted}, as in ${wanted}_name.sql`);
  }
  const sql = await readFile(join(directory, name), 'utf8');
  return { number, name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
}
