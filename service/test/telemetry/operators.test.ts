import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { createTestDatabase } from '../harness/database.ts';
import { startSvcd } from '../harness/process.ts';
import { bearer } from '../harness/running-service.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const alerts = read('deploy/prometheus/alerts.yaml');
const dashboard = JSON.parse(read('deploy/grafana/svc.json')) as {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
};
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** Metrics of Prometheus itself. */
const OF_PROMETHEUS = new Set(['up']);
const metricsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b((?:svc|process|nodejs)_\w+|up)\s*[{)[=\s]/g)].map(([, name = '']) => name);

/** The names of all series of a text of metrics, those of histograms with their endings. */
const seriesOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^(\w+)(?:\{.*\})? \S+$/gm)].map(([, name = '']) => name));

const { url } = await createTestDatabase();
const env = {
  SVC_DATABASE_URL: url,
  SVC_SECRET: randomBytes(32).toString('base64url'),
  // Without it, there are no metrics of backups.
  SVC_BACKUP_DIR: await temporaryDirectory(),
};
const nodes = { one: await startSvcd(env), several: await startSvcd({ ...env, SVC_WORKERS: '2' }) };
const workspaceId = await bootstrapWorkspace(env);
const session = await signIn(nodes.one);
const { token } = await session.createKey(workspaceId);

async function metricsOf({ url: origin }: { readonly url: string }): Promise<string> {
  await fetch(`${origin}/v1/audits`, { headers: bearer(token) }).then((answer) => answer.text());
  return (await fetch(`${origin}/metrics`)).text();
}

describe.each(['one', 'several'] as const)('/metrics of a service with %s workers', (name) => {
  test('has every metric of the dashboard and of the alerts', async () => {
    const wanted = new Set(metricsIn([...expressions, alerts].join('\n')));
    for (const known of OF_PROMETHEUS) wanted.delete(known);
    expect(wanted.size).toBeGreaterThan(20);
    // A counter with labels has no series before its first event, and figures of the database come with a later scrape.
    const described = async (): Promise<readonly string[]> => {
      const text = await metricsOf(nodes[name]);
      const series = seriesOf(text);
      const types = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, type]) => type));
      return [...wanted].filter((metric) => !series.has(metric) && !types.has(metric));
    };
    await expect.poll(described).toEqual([]);
  });

  test('has no label with an id, and is bounded whatever clients send', async () => {
    const text = await metricsOf(nodes[name]);
    const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label));
    const allowed =
      'method route status mistake reason lane state task outcome le type kind space version major minor patch';
    expect([...labels].filter((label) => !allowed.split(' ').includes(label ?? ''))).toEqual([]);
    expect(text).not.toContain(workspaceId);
  });

  test('counts connections, commits and the state of the database', async () => {
    const value = async (series: string): Promise<number> =>
      Number((await metricsOf(nodes[name])).split(`\n${series} `)[1]?.split('\n')[0]);
    await expect.poll(() => value('svc_database_up')).toBe(1);
    await expect.poll(() => value('svc_database_size_bytes')).toBeGreaterThan(1_000_000);
    const commits = await value('svc_audit_commit_entries_sum');
    expect(commits).toBeGreaterThan(0);
    expect(await value('svc_audit_commit_entries_sum')).toBe(commits + 1);
    expect(await value('svc_audit_queue_entries')).toBe(0);
    expect(await value('svc_webhook_attempts_total{outcome="delivered"}')).toBe(0);
    expect(await value('svc_database_connections{lane="people",state="used"}')).toBe(0);
  });
});

test('a refused request is counted by its reason', async () => {
  const { key } = await session.createKey(workspaceId);
  expect(key.id).toMatch(/^key_/);
  const refusedBy = async (reason: string): Promise<number> => {
    const text = await metricsOf(nodes.one);
    return Number(
      new RegExp(`^svc_http_refused_requests_total\\{reason="${reason}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0,
    );
  };
  expect(await refusedBy('rate_limited')).toBe(0);
  const wrong = Array.from({ length: 320 }, () =>
    fetch(`${nodes.one.url}/v1/audits`, { headers: bearer(`svc_live_${'x'.repeat(32)}`) }).then(
      ({ status }) => status,
    ),
  );
  const limited = (await Promise.all(wrong)).filter((status) => status === 429).length;
  expect(limited).toBeGreaterThan(0);
  expect(await refusedBy('rate_limited')).toBe(limited);
});

test('docs/observability.md lists the metrics of the service', async () => {
  const page = read('docs/observability.md');
  const text = await metricsOf(nodes.several);
  const names = [...text.matchAll(/^# TYPE (svc_\S+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith('svc_primary_'));
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  const [, table = ''] = page.split('| Metric | Labels | Meaning |');
  const listed = [...(table.split('\n## ')[0]?.matchAll(/`(svc_[a-z_]+)`/g) ?? [])].map(
    ([, name = '']) => name,
  );
  expect(listed.filter((name) => !names.includes(name))).toEqual([]);
});
