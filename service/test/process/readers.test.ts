import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { createTestDatabase } from '../harness/database.ts';
import { pollOf, tailOf } from '../harness/follow.ts';
import { idsIn, importText, ndjson } from '../harness/import.ts';
import { type Envelope, type Params, urlOf } from '../harness/lists.ts';
import { runSvcd, type ServiceProcess, startSvcd } from '../harness/process.ts';
import { bearer } from '../harness/running-service.ts';
import { findingsOf } from '../harness/verify.ts';

/** Longer by `READ_SECONDS=30 npx vitest run service/test/process/readers.test.ts`. */
const READ_SECONDS = Number(process.env['READ_SECONDS'] ?? 8);
const SINGLE_WRITERS = 8;
const BATCH_WRITERS = 6;
const IMPORTERS = 2;
const BATCH_RECORDS = 20;
const IMPORT_RECORDS = 7_000;
const MS_PER_SECOND = 1_000;
const TIMEOUT_MS = 60_000 + 4 * READ_SECONDS * MS_PER_SECOND;

const audit = () => ({ companyId: 'acme', headlineScore: 50, completedAt: '2026-03-01T09:30:00Z' });
const audits = (count: number) => Array.from({ length: count }, audit);

test.each([1, 2])(
  `sixteen writers by HTTP and svcd import for ${READ_SECONDS} s, over %i node(s): a tail reader and one that polls meet every record once, in its order`,
  async (count) => {
    const { pool, url } = await createTestDatabase();
    const env = {
      SVC_DATABASE_URL: url,
      SVC_SECRET: randomBytes(32).toString('base64url'),
      SVC_WORKERS: '2',
    };
    const nodes = await Promise.all(Array.from({ length: count }, () => startSvcd(env)));
    const [first] = nodes as [ServiceProcess];
    let asked = 0;
    const node = (): ServiceProcess => nodes[asked++ % count] ?? first;
    const workspaceId = await bootstrapWorkspace(env);
    const { token } = await (await signIn(first)).createKey(workspaceId, { access: 'write' });
    await importText(pool, workspaceId, 'companies', ndjson([{ id: 'acme', name: 'Acme' }]));
    await importText(pool, workspaceId, 'audits', ndjson([audit()]));

    const state = { done: false };
    const until = performance.now() + READ_SECONDS * MS_PER_SECOND;
    const writing = (): boolean => performance.now() < until;
    const written = { http: 0, imported: 0 };
    const post = async (path: string, body: object, records: number): Promise<void> => {
      while (writing()) {
        const answer = await fetch(`${node().url}${path}`, {
          method: 'POST',
          headers: { ...bearer(token), 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const text = await answer.text();
        if (answer.status === 201) written.http += records;
        // The request waited too long for other writers, and has written nothing.
        else if (answer.status !== 503) throw new Error(`${answer.status}: ${text}`);
      }
    };
    const importer = async (): Promise<void> => {
      while (writing()) {
        const args = ['import', 'audits', '-', '--format', 'ndjson', '--workspace', workspaceId, '--json'];
        const { code, stdout, stderr } = await runSvcd(args, { env, input: ndjson(audits(IMPORT_RECORDS)) });
        if (code !== 0) throw new Error(stderr);
        written.imported += (JSON.parse(stdout) as { inserted: number }).inserted;
      }
    };
    const get = async (params: Params): Promise<Envelope> => {
      const url = `${node().url}${urlOf('/v1/audits', { limit: 100, ...params })}`;
      const answer = await fetch(url, { headers: bearer(token) });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
      return (await answer.json()) as Envelope;
    };

    const reading = Promise.all([tailOf(get, state), pollOf(get, state)]);
    const writers = Promise.all([
      ...Array.from({ length: SINGLE_WRITERS }, () => post('/v1/audits', audit(), 1)),
      ...Array.from({ length: BATCH_WRITERS }, () =>
        post('/v1/audits/batch', { data: audits(BATCH_RECORDS) }, BATCH_RECORDS),
      ),
      ...Array.from({ length: IMPORTERS }, importer),
    ]);
    await Promise.race([writers, reading]);
    state.done = true;
    const [tailed, polled] = await reading;

    const all = await idsIn(pool, workspaceId);
    expect(all).toHaveLength(1 + written.http + written.imported);
    expect([written.http > 0, written.imported > 0]).toEqual([true, true]);
    expect(tailed).toEqual(all);
    // The polling reader starts with the newest page of its start.
    expect(polled).toEqual(all.slice(-polled.length));
    expect(polled.length).toBeGreaterThan(all.length / 2);
    expect(await findingsOf(pool)).toEqual([]);
  },
  TIMEOUT_MS,
);
