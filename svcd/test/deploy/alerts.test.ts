import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { describe, expect, test } from 'vitest';
import { findProgram } from '../../../tools/debian.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const alertNames = [...read('deploy/prometheus/alerts.yaml').matchAll(/- alert: (\w+)/g)].map(
  ([, name = '']) => name,
);
const promtool = findProgram('/usr/bin/promtool', 'prometheus');

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: unknown;
  readonly targets?: readonly {
    readonly expr: string;
    readonly refId: string;
    readonly datasource: unknown;
  }[];
}
const dashboard = JSON.parse(read('deploy/grafana/svc.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly allValue?: string }[] };
};
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

describe('the dashboard', () => {
  test('has panels with unique ids that do not overlap, each with the data source that a person chooses', () => {
    const { panels, templating } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
    const source = { type: 'prometheus', uid: expect.stringMatching(/^\$\{datasource\}$/) };
    for (const panel of panels.filter(({ type }) => type !== 'row')) {
      expect(panel).toMatchObject({ type: 'timeseries', datasource: source });
      expect(panel.targets?.length).toBeGreaterThan(0);
      for (const target of panel.targets ?? []) expect(target.datasource).toEqual(source);
    }
    expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'instance']);
    // "All" is all nodes. With a value such as .*, panels of process_… would show every program that Prometheus knows.
    expect(templating.list.map(({ allValue }) => allValue)).toEqual([undefined, undefined]);
    expect(expressions.filter((expression) => !expression.includes('instance=~"$instance"'))).toEqual([]);
  });
});

describe('each alert', () => {
  test.each(alertNames)(
    '%s has an entry in the runbook, and tests in which it fires and does not',
    (name) => {
      const [, entry = ''] = read('docs/runbook.md').split(`\n## ${name}\n`);
      const [own = ''] = entry.split('\n## ');
      for (const part of ['**Meaning.**', '**Look.**', '**Do.**']) expect(own).toContain(part);
      const tests = read('deploy/prometheus/alerts.test.yaml');
      for (const outcome of ['fires', 'does not fire'])
        expect(tests).toContain(`  - name: ${name} ${outcome}\n`);
    },
  );

  test('has no entry in the runbook that no alert leads to', () => {
    const entries = [...read('docs/runbook.md').matchAll(/^## (.+)$/gm)].map(([, name]) => name);
    expect(entries).toEqual(alertNames);
  });
});

if (promtool === undefined && process.env['CI'] !== undefined) throw new Error('promtool is missing');

// Not every system has promtool.
test.skipIf(promtool === undefined)('promtool accepts the rules, and their tests pass', async () => {
  const program = promtool ?? '';
  // promtool parses the expressions of the dashboard too, with the variables of Grafana filled in.
  const filled = expressions.map((text) =>
    text.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
  );
  const file = join(await temporaryDirectory(), 'dashboard.yaml');
  const rules = filled.map((expr, i) => ({ record: `panel:${i}`, expr }));
  // JSON is YAML too.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  expect(execFileSync(program, ['check', 'rules', file], { encoding: 'utf8' })).toContain(
    `${expressions.length} rules found`,
  );
  const folder = { cwd: join(ROOT, 'deploy/prometheus'), encoding: 'utf8' } as const;
  expect(execFileSync(program, ['check', 'rules', 'alerts.yaml'], folder)).toContain(
    `${alertNames.length} rules found`,
  );
  expect(execFileSync(program, ['test', 'rules', 'alerts.test.yaml'], folder)).toContain('SUCCESS');
});
