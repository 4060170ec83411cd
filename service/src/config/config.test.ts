import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { IGNORED, SETTINGS } from './setting-names.ts';

const SECRET = 'x'.repeat(32);
const URL = 'postgres://svc:hunter2@db.example.com:5432/svc';

function mistakesOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
}

describe('readConfig', () => {
  test('works without any setting', () => {
    const config = readConfig({});
    expect(config).toEqual({
      host: '127.0.0.1',
      port: 8080,
      workers: Math.max(1, Math.floor(availableParallelism() / 2)),
      dataDir: './data',
      databaseUrl: undefined,
      databasePooler: 'none',
      databaseDirectUrl: undefined,
      databaseConnections: 13,
      secrets: undefined,
      publicUrl: 'http://127.0.0.1:8080',
      publicUrlGiven: false,
      trustProxy: false,
      corsOrigins: [],
      logLevel: 'info',
      failedAuthPerMinute: 300,
      logRetentionDays: 400,
      changeRetentionDays: 30,
      webhookNetworks: '',
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('ignores empty variables', () => {
    expect(readConfig(Object.fromEntries(SETTINGS.map((name) => [name, ''])))).toEqual(readConfig({}));
  });

  test('ignores the variables of the client, of receivers of webhooks and of Compose', () => {
    expect(IGNORED).toContain('SVC_WEBHOOK_SECRET');
    expect(readConfig(Object.fromEntries(IGNORED.map((name) => [name, 'x'])))).toEqual(readConfig({}));
  });

  test('reads every setting', () => {
    const config = readConfig({
      SVC_HOST: '::1',
      SVC_PORT: '0',
      SVC_WORKERS: '3',
      SVC_DATA_DIR: '/var/lib/svc',
      SVC_DATABASE_URL: URL,
      SVC_DATABASE_CONNECTIONS: '19',
      SVC_SECRET: `${SECRET}1, ${SECRET}2`,
      SVC_PUBLIC_URL: 'https://svc.example.com/',
      SVC_TRUST_PROXY: '10.0.0.0/8, ::1',
      SVC_LOG_LEVEL: 'debug',
      SVC_FAILED_AUTH_PER_MINUTE: '1',
      SVC_LOG_RETENTION_DAYS: '30',
      SVC_CHANGE_RETENTION_DAYS: '7',
      SVC_WEBHOOK_NETWORKS: '10.0.0.0/8, fd00::/8',
      SVC_CORS_ORIGINS: 'https://app.example.com, http://localhost:3000,https://app.example.com',
      SVC_BACKUP_DIR: '/srv/backups',
      SVC_BACKUP_EVERY_HOURS: '6',
    });
    expect(config).toMatchObject({
      corsOrigins: ['https://app.example.com', 'http://localhost:3000'],
      host: '::1',
      port: 0,
      workers: 3,
      databaseUrl: URL,
      secrets: [`${SECRET}1`, `${SECRET}2`],
      publicUrl: 'https://svc.example.com',
      publicUrlGiven: true,
      trustProxy: '10.0.0.0/8,::1',
      logLevel: 'debug',
      failedAuthPerMinute: 1,
      logRetentionDays: 30,
      changeRetentionDays: 7,
      webhookNetworks: '10.0.0.0/8, fd00::/8',
      backups: { directory: '/srv/backups', everyMs: 6 * 3_600_000, keep: 7 },
    });
    expect(readConfig({ SVC_HOST: '::1' }).publicUrl).toBe('http://[::1]:8080');
    expect(readConfig({ SVC_DATABASE_URL: URL, SVC_SECRET: SECRET }).workers).toBe(availableParallelism());
    for (const all of ['0.0.0.0', '::']) {
      expect(readConfig({ SVC_HOST: all }).publicUrl).toBe('http://localhost:8080');
    }
  });

  test.each([
    ['SVC_PORT', '65536'],
    ['SVC_PORT', '-1'],
    ['SVC_PORT', '80a'],
    ['SVC_PORT', ' 80'],
    ['SVC_PORT', '1e3'],
    ['SVC_WORKERS', '0'],
    ['SVC_DATABASE_CONNECTIONS', '10'],
    ['SVC_TRUST_PROXY', 'yes'],
    ['SVC_TRUST_PROXY', 'true'],
    ['SVC_TRUST_PROXY', '0'],
    ['SVC_TRUST_PROXY', '33'],
    ['SVC_TRUST_PROXY', '10.0.0.0/33'],
    ['SVC_TRUST_PROXY', '10.0.0.1,'],
    ['SVC_TRUST_PROXY', '10.0.0.0/8/8'],
    ['SVC_TRUST_PROXY', 'proxy.internal'],
    ['SVC_LOG_LEVEL', 'loud'],
    ['SVC_FAILED_AUTH_PER_MINUTE', '0'],
    ['SVC_LOG_RETENTION_DAYS', '0'],
    ['SVC_CHANGE_RETENTION_DAYS', '0'],
    ['SVC_WEBHOOK_NETWORKS', '10.0.0.1/8'],
    ['SVC_BACKUP_EVERY_HOURS', '169'],
    ['SVC_BACKUP_KEEP', '0'],
    ['SVC_WEBHOOK_NETWORKS', 'internal'],
    ['SVC_CORS_ORIGINS', '*'],
    ['SVC_CORS_ORIGINS', 'null'],
    ['SVC_CORS_ORIGINS', 'app.example.com'],
    ['SVC_CORS_ORIGINS', 'https://app.example.com/'],
    ['SVC_CORS_ORIGINS', 'https://*.example.com'],
    ['SVC_CORS_ORIGINS', 'https://App.example.com'],
    ['SVC_CORS_ORIGINS', 'https://app.example.com:443'],
    ['SVC_CORS_ORIGINS', 'file:///srv/page.html'],
    ['SVC_CORS_ORIGINS', 'https://app.example.com,'],
    ['SVC_CORS_ORIGINS', Array.from({ length: 101 }, (_, i) => `https://a${i}.example.com`).join(',')],
    ['SVC_PUBLIC_URL', 'svc.example.com'],
    ['SVC_PUBLIC_URL', 'ftp://svc.example.com'],
    ['SVC_SECRET', 'too short'],
    ['SVC_SECRET', `${SECRET},short`],
    ['SVC_SECRET', `${SECRET},`],
  ])('refuses %s=%j by its name', (name, value) => {
    const mistakes = mistakesOf({ SVC_BACKUP_DIR: '/srv/backups', [name]: value });
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain(name);
  });

  test('refuses settings of scheduled backups without their directory, because no backup would be made', () => {
    expect(mistakesOf({ SVC_BACKUP_EVERY_HOURS: '6', SVC_BACKUP_KEEP: '3' })).toEqual([
      'SVC_BACKUP_EVERY_HOURS needs SVC_BACKUP_DIR.',
      'SVC_BACKUP_KEEP needs SVC_BACKUP_DIR.',
    ]);
  });

  test('accepts a number of proxies, and says what to write instead of true', () => {
    expect(readConfig({ SVC_TRUST_PROXY: '2' }).trustProxy).toBe(2);
    expect(readConfig({ SVC_TRUST_PROXY: 'false' }).trustProxy).toBe(false);
    expect(mistakesOf({ SVC_TRUST_PROXY: 'true' })).toEqual([
      expect.stringMatching(
        /^SVC_TRUST_PROXY must be false, the number of proxies .* not "true": .* For one proxy, set 1\.$/,
      ),
    ]);
  });

  test('ignores what Kubernetes sets for Services named svc and svc-database, and knows SVC_PORT for one of them', () => {
    const links = {
      SVC_SERVICE_HOST: '10.96.0.10',
      SVC_SERVICE_PORT: '80',
      SVC_SERVICE_PORT_HTTP: '80',
      SVC_PORT_80_TCP: 'tcp://10.96.0.10:80',
      SVC_PORT_80_TCP_PROTO: 'tcp',
      SVC_PORT_80_TCP_PORT: '80',
      SVC_PORT_80_TCP_ADDR: '10.96.0.10',
      SVC_DATABASE_SERVICE_HOST: '10.96.0.11',
      SVC_DATABASE_SERVICE_PORT: '5432',
      SVC_DATABASE_PORT: 'tcp://10.96.0.11:5432',
      SVC_DATABASE_PORT_5432_TCP: 'tcp://10.96.0.11:5432',
    };
    expect(readConfig(links)).toEqual(readConfig({}));
    expect(mistakesOf({ ...links, SVC_PORT: 'tcp://10.96.0.10:80' })).toEqual([
      expect.stringMatching(/^SVC_PORT must be an integer .* enableServiceLinks: false/),
    ]);
    expect(mistakesOf({ SVC_DATABASE_PORT: '5432' })).toEqual([
      expect.stringContaining('SVC_DATABASE_PORT is not'),
    ]);
  });

  test('reports all mistakes together, also unknown settings', () => {
    const mistakes = mistakesOf({ SVC_PORT: 'x', SVC_LOG_LEVEL: 'x', SVC_PROT: '80', HOME: '/root' });
    expect(mistakes.map((mistake) => mistake.split(' ')[0])).toEqual([
      'SVC_PORT',
      'SVC_LOG_LEVEL',
      'SVC_PROT',
    ]);
    expect(mistakes.at(-1)).toContain('SVC_PORT');
  });

  test('requires a secret with an external database, because all nodes must have the same one', () => {
    expect(mistakesOf({ SVC_DATABASE_URL: URL })).toEqual([
      expect.stringContaining('SVC_SECRET must be set'),
    ]);
    expect(mistakesOf({ SVC_DATABASE_URL: URL, SVC_SECRET: SECRET })).toEqual([]);
  });

  test.each([
    'postgres://u:p@/svc?host=/run/postgresql',
    'postgresql://u@[::1]:5433/svc',
    'postgresql:///svc',
    'postgres://u:p@db1:5432,[::1]:5433,db3/svc?target_session_attrs=read-write',
    'postgres://u:p@/svc?host=db1,db2&port=5432,5433',
  ])('accepts the database %s', (url) => {
    expect(mistakesOf({ SVC_DATABASE_URL: url, SVC_SECRET: SECRET })).toEqual([]);
  });

  test.each([
    [
      'postgres://u:hunter2@db1,,db2/svc',
      /^SVC_DATABASE_URL must have a host before and after each comma\.$/,
    ],
    ['postgres://u:hunter2@db1:1,db2:99999/svc', /^SVC_DATABASE_URL must have ports from 1 to 65535\.$/],
    [
      'postgres://u:hunter2@db1,db2/svc?target_session_attrs=any',
      /^SVC_DATABASE_URL must have target_session_attrs=/,
    ],
    ['mysql://u:hunter2@db1,db2/svc', /^SVC_DATABASE_URL must be a URL that starts with postgres:\/\/ or/],
  ])('refuses the database %s', (url, mistake) => {
    expect(mistakesOf({ SVC_DATABASE_URL: url, SVC_SECRET: SECRET })).toEqual([
      expect.stringMatching(mistake),
    ]);
  });

  test('never shows a password or a secret in a mistake', () => {
    const mistakes = mistakesOf({
      SVC_DATABASE_URL: 'mysql://svc:hunter2@db/svc',
      SVC_SECRET: 'my short secret',
    });
    expect(mistakes).toHaveLength(2);
    expect(mistakes.join('\n')).not.toMatch(/hunter2|my short secret/);
  });
});
