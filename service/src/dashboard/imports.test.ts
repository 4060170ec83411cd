import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const SERVICE = fileURLToPath(new URL('../../', import.meta.url));
const STORE = 'src/keys/store.ts';
/** Its steps. Only it imports their functions. */
const STEPS = ['src/keys/locked-key.ts', 'src/keys/settings.ts'];
/** The harness of the tests creates keys without the dashboard. The service never runs it. */
const HARNESS = /^test\//;

/** The modules that a source file imports, as paths in the service's folder. Includes dynamic imports and types. */
function importsOf(file: string): readonly string[] {
  const source = readFileSync(join(SERVICE, file), 'utf8');
  return [...source.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(([, path = '']) =>
    join(dirname(file), path),
  );
}

/** The same, without imports of types. */
function valueImportsOf(file: string): readonly string[] {
  const source = readFileSync(join(SERVICE, file), 'utf8');
  return [...source.matchAll(/import (?!type )[^;]*?from '(\.[^']+)'/g)].map(([, path = '']) =>
    join(dirname(file), path),
  );
}

const files = globSync('{src,test}/**/*.ts', { cwd: SERVICE });

describe('keys/store.ts, which creates, rotates and revokes keys', () => {
  test('is imported only by the dashboard', () => {
    const importers = files.filter((file) => !HARNESS.test(file) && importsOf(file).includes(STORE));
    expect(importers.length).toBeGreaterThan(0);
    const outside = importers.filter(
      (file) => !file.startsWith('src/dashboard/') && !file.startsWith('src/keys/'),
    );
    expect(outside).toEqual([]);
  });

  test('is the only importer of its steps, except for the lock of a repair; others import types of them', () => {
    const importers = files.filter(
      (file) => !HARNESS.test(file) && valueImportsOf(file).some((imported) => STEPS.includes(imported)),
    );
    // verify-keys.ts locks a key while it repairs the row that finds its workspace.
    expect(importers.filter((file) => !STEPS.includes(file)).toSorted()).toEqual([
      'src/integrity/verify-keys.ts',
      STORE,
    ]);
  });

  test('is the only code that writes keys, except for a new index, the note of a warning and deleted workspaces', () => {
    const writers = files.filter(
      (file) =>
        !HARNESS.test(file) &&
        !/\.(?:test|fixture)\.ts$/.test(file) &&
        /(insert\s+into|update|delete\s+from)\s+api_keys/i.test(readFileSync(join(SERVICE, file), 'utf8')),
    );
    // authenticate.ts re-indexes under new secrets. expiring-keys.ts notes of which expiry date a workspace was warned.
    // deleted-workspace.ts refuses or removes all keys of a workspace.
    const others = ['src/jobs/expiring-keys.ts', 'src/keys/authenticate.ts', 'src/keys/deleted-workspace.ts'];
    expect(writers.toSorted()).toEqual([...others, ...STEPS, STORE].toSorted());
  });
});
