import { readFileSync } from 'node:fs';
import { TELEMETRY_SETTINGS } from '@svc/telemetry/settings';
import { describe, expect, test } from 'vitest';
import { type Config, readConfig, SETTINGS } from '../../src/config/config.ts';

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
    expect(rows.map(({ name }) => name)).toEqual(SETTINGS);
  });

  test.each(Object.entries(VALUES))('names the default of %s', (name, field) => {
    const row = rows.find((one) => one.name === name);
    expect(row?.fallback).toBe(`\`${String(readConfig({})[field])}\``);
  });

  test('has the limits that are set per workspace', () => {
    expect(text).toMatch(/^\| Live quota \| none \| dashboard/m);
    expect(text).toMatch(/^\| Burst limit \| none \| dashboard/m);
  });
});

test('docs/observability.md lists the variables of OpenTelemetry, in the order of the code, and no other', () => {
  const page = readFileSync(new URL('../../../docs/observability.md', import.meta.url), 'utf8');
  const names = [...page.matchAll(/^\| `(OTEL_\w+)` \|/gm)].map(([, name]) => name);
  expect(names).toEqual(TELEMETRY_SETTINGS);
});
