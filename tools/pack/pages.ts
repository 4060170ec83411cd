import { cpSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The pages for operators, all pages that they lead to, and the files to run the service with. */
const PAGES = [
  'deploy',
  'docs/containers.md',
  'docs/decisions',
  'docs/errors.md',
  'docs/guides',
  'docs/high-availability.md',
  'docs/observability.md',
  'docs/operations.md',
  'docs/pgbouncer.md',
  'docs/runbook.md',
  'docs/scale.md',
  'sdk/README.md',
];

/** The folders of the package that have the pages. */
export const PAGE_FOLDERS = [...new Set(PAGES.map((path) => path.replace(/\/.*/, '')))];

/** Copies the pages to a folder with the folders of this repository, so that their links lead to each other. */
export function copyPages(to: string, from = ROOT): void {
  for (const path of PAGES) cpSync(join(from, path), join(to, path), { recursive: true, filter: isPage });
}

/** Not the settings of the person who packs, and no tests. */
const isPage = (path: string): boolean => !/\.(?:env|test\.yaml)$/.test(path);
