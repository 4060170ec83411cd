import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TELEMETRY_SETTINGS } from '@svc/telemetry/settings';
import { describe, expect, test } from 'vitest';
import { type Config, readConfig } from '../../src/config/config.ts';
import { IGNORED, SETTINGS } from '../../src/config/setting-names.ts';

const text = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
const rows = [...text.matchAll(/^\| `(SVC_\w+)` \| (.*?) \|/gm)].map(([, name = '', fallback = '']) => ({
  name,
  fallback,
}));

/** Settings whose default is a plain value. */
const VALUES: Readonly<Record<string, keyof Config>> = {
  SVC_HOST: 'host',
  SVC_PORT: 'port',
  SVC_DATA_DIR: 'dataDir',
  SVC_DATABASE_CONNECTIONS: 'databaseConnections',
  SVC_TRUST_PROXY: 'trustProxy',
  SVC_LOG_LEVEL: 'logLevel',
  SVC_FAILED_AUTH_PER_MINUTE: 'failedAuthPerMinute',
  SVC_LOG_RETENTION_DAYS: 'logRetentionDays',
};

describe('the table of settings in docs/operations.md', () => {
  test('has a row for each setting, in the order of the code, and no other', () => {
    expect(rows.map(({ name }) => name)).toEqual([...SETTINGS, ...IGNORED]);
  });

  test.each(Object.entries(VALUES))('names the default of %s', (name, field) => {
    const row = rows.find((one) => one.name === name);
    expect(row?.fallback).toBe(`\`${String(readConfig({})[field])}\``);
  });

  test('says of each variable of another program that the service ignores it', () => {
    for (const name of IGNORED)
      expect(text).toMatch(new RegExp(`^\\| \`${name}\` .* The service ignores it`, 'm'));
  });

  test('has the limits that are set per workspace', () => {
    expect(text).toMatch(/^\| Live quota \| none \| dashboard/m);
    expect(text).toMatch(/^\| Burst limit \| none \| dashboard/m);
  });
});

test('no variable that a document tells people to set stops the service', () => {
  const root = join(import.meta.dirname, '../../..');
  const named = globSync(['README.md', 'sdk/README.md', 'docs/**/*.md', 'deploy/**/*.*'], {
    cwd: root,
  }).flatMap((file) => {
    const found = readFileSync(join(root, file), 'utf8').matchAll(/\bSVC_[A-Z0-9_]*[A-Z0-9]\b/g);
    return [...found].map(([name]) => name);
  });
  // Variables of the tests, which only vitest gets.
  const names = new Set(named.filter((name) => !name.startsWith('SVC_TEST_')));
  expect(names.size).toBeGreaterThan(SETTINGS.length);
  expect([...names].filter((name) => ![...SETTINGS, ...IGNORED].includes(name))).toEqual([]);
});

test('docs/observability.md lists the variables of OpenTelemetry, in the order of the code, and no other', () => {
  const page = readFileSync(new URL('../../../docs/observability.md', import.meta.url), 'utf8');
  const names = [...page.matchAll(/^\| `(OTEL_\w+)` \|/gm)].map(([, name]) => name);
  expect(names).toEqual(TELEMETRY_SETTINGS);
});
