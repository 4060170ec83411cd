import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { interrupt, startSvcd } from '../harness/process.ts';
import { bearer, startRunningService } from '../harness/running-service.ts';

const AUDITS = 1_000;
const PAGES = 3_000;
/** Pages at the same time. */
const CONNECTIONS = 32;
/** A worker takes about 300 (docs/decisions/0022). More would be a leak, or a larger program. */
const MEMORY_MAX_MB = 360;
const KIB_PER_MB = 1e6 / 1024;

const first = await startRunningService();
const key = await first.dashboard.createKey(first.workspaceId, { access: 'write' });
// The first start after an installation compiles the program, which takes more memory. Later ones read it from the cache.
await interrupt(first.service);
const service = await startSvcd(first.env);
const url = `${service.url}/v1/audits?limit=50`;
const headers = { ...bearer(key.token), 'content-type': 'application/json' };

/** The most memory that each worker has had. */
async function peaksMb(): Promise<readonly number[]> {
  const { pid } = service;
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
  const peaks = await Promise.all(
    children.map(async (child) => {
      if (!(await readFile(`/proc/${child}/cmdline`, 'utf8')).includes('main.ts')) return [];
      const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${child}/status`, 'utf8')) ?? [];
      return [Number(kib) / KIB_PER_MB];
    }),
  );
  return peaks.flat();
}

// Only Linux has the files about processes.
test.runIf(process.platform === 'linux')(
  'a worker that serves pages takes about 300 MB',
  async () => {
    const company = await fetch(`${service.url}/v1/companies`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'One' }),
    });
    const { id: companyId } = (await company.json()) as { readonly id: string };
    const data = Array.from({ length: AUDITS }, (_, i) => ({
      companyId,
      headlineScore: i % 100,
      completedAt: '2026-01-01T00:00:00Z',
    }));
    const filled = await fetch(`${service.url}/v1/audits/batch`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ data }),
    });
    expect(filled.status).toBe(201);
    await filled.arrayBuffer();
    const read = async (): Promise<void> => {
      for (let n = 0; n < PAGES / CONNECTIONS; n++) {
        const page = await fetch(url, { headers });
        expect(page.status).toBe(200);
        await page.arrayBuffer();
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, read));
    const peaks = await peaksMb();
    expect(peaks.length).toBeGreaterThan(0);
    expect(Math.max(...peaks)).toBeLessThan(MEMORY_MAX_MB);
  },
  120_000,
);
