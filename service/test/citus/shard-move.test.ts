import { randomBytes, randomUUID } from 'node:crypto';
import { waitFor } from '@svc/embedded-postgres/testing';
import pg from 'pg';
import { expect, test } from 'vitest';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { createTestDatabase } from '../harness/database.ts';
import { tailOf } from '../harness/follow.ts';
import { type Envelope, idsOf, type Params, urlOf } from '../harness/lists.ts';
import { inCluster } from '../harness/locks.ts';
import { startSvcd } from '../harness/process.ts';
import { bearer } from '../harness/running-service.ts';
import { findingsOf } from '../harness/verify.ts';

/** A shard that moves between two workers of a cluster, under a service. It runs only on a cluster (docs/scale.md). */

const WRITERS = 3;
/** Created before, between and after the moves. */
const STEP_RECORDS = 20;
const RETRY_MS = 100;
const WAIT_SECONDS = 1;
const TIMEOUT_MS = 400_000;
/** How long requests may be refused without a break. */
const REFUSED_MAX_MS = 15_000;

interface Place {
  readonly shardid: number;
  readonly nodename: string;
  readonly nodeport: number;
}

// Skipped on plain PostgreSQL, which has no shards.
test.runIf(inCluster())(
  'while the shard of a workspace moves to another worker and back, no acknowledged write is lost or doubled, a tail and the feed miss nothing, and refusals are 503 and short',
  { timeout: TIMEOUT_MS },
  async () => {
    const { pool, url } = await createTestDatabase();
    const env = {
      SVC_DATABASE_URL: url,
      SVC_SECRET: randomBytes(32).toString('base64url'),
      SVC_WORKERS: '2',
    };
    const service = await startSvcd(env);
    const workspaceId = await bootstrapWorkspace(env);
    const { token } = await (await signIn(service)).createKey(workspaceId, { access: 'write' });

    const figures = { responses: 0, refused: 0, longestMs: 0, movesMs: [] as number[] };
    const unexpected: string[] = [];
    /** Sends a request until it is not refused, as a client does. */
    const send = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
      const headers = { ...bearer(token), 'content-type': 'application/json', ...init.headers };
      const started = performance.now();
      const ask = async (): Promise<T> => {
        const answer = await fetch(`${service.url}${path}`, { ...init, headers });
        const text = await answer.text();
        if (answer.ok) return JSON.parse(text) as T;
        figures.refused++;
        if (answer.status !== 503 || !answer.headers.has('retry-after'))
          unexpected.push(`${answer.status} ${text}`);
        throw new Error(text);
      };
      const body = await waitFor(ask, { timeout: REFUSED_MAX_MS, interval: RETRY_MS });
      figures.responses++;
      figures.longestMs = Math.max(figures.longestMs, performance.now() - started);
      return body;
    };
    const post = (path: string, body: object): Promise<{ readonly id: string }> =>
      send(path, {
        method: 'POST',
        headers: { 'idempotency-key': randomUUID() },
        body: JSON.stringify(body),
      });
    await post('/v1/companies', { id: 'acme', name: 'Acme' });
    const { position } = (await send<{ pagination: { position: string } }>('/v1/changes?after=now'))
      .pagination;

    const state = { stop: false, done: false };
    const acknowledged: string[] = [];
    const write = async (): Promise<void> => {
      while (!state.stop) {
        const audit = { companyId: 'acme', headlineScore: 50, completedAt: '2026-03-01T09:30:00Z' };
        acknowledged.push((await post('/v1/audits', audit)).id);
      }
    };
    const follow = async (): Promise<readonly string[]> => {
      const seen: string[] = [];
      for (let after = position; ; ) {
        const last = state.done;
        const path = urlOf('/v1/changes', { after, wait: last ? 0 : WAIT_SECONDS, limit: 100 });
        const page = await send<{
          data: { type: string; recordId: string }[];
          pagination: { position: string };
        }>(path);
        const created = page.data.filter(({ type }) => type === 'audit.created');
        seen.push(...created.map(({ recordId }) => recordId));
        after = page.pagination.position;
        if (last && page.data.length === 0) return seen;
      }
    };
    const get = (params: Params): Promise<Envelope> => send(urlOf('/v1/audits', { limit: 100, ...params }));
    const writing = Promise.all(Array.from({ length: WRITERS }, write)).finally(() => {
      state.done = true;
    });
    const running = Promise.all([tailOf(get, state), follow(), writing]);
    const moreRecords = (): Promise<void> => {
      const before = acknowledged.length;
      return waitFor(() => expect(acknowledged.length).toBeGreaterThanOrEqual(before + STEP_RECORDS));
    };

    // A connection without the time limits of the service.
    const operator = new pg.Client({ connectionString: url });
    await operator.connect();
    try {
      const place = async (): Promise<Place> => {
        const { rows } = await operator.query<Place>(
          `select shardid, nodename, nodeport from citus_shards
           where table_name = 'workspaces'::regclass
             and shardid = get_shard_id_for_distribution_column('workspaces', $1::text)`,
          [workspaceId],
        );
        const [row] = rows;
        if (row === undefined) throw new Error('the workspace has no shard');
        return row;
      };
      const home = await place();
      const { rows } = await operator.query<Omit<Place, 'shardid'>>(
        `select nodename, nodeport from pg_dist_node
         where shouldhaveshards and (nodename, nodeport) <> ($1::text, $2::int) order by groupid limit 1`,
        [home.nodename, home.nodeport],
      );
      const [away] = rows;
      if (away === undefined) throw new Error('the cluster has only one worker');
      await moreRecords();
      for (const [from, to] of [
        [home, away],
        [away, home],
      ] as const) {
        const started = performance.now();
        await operator.query(
          `select citus_move_shard_placement($1, $2, $3, $4, $5, shard_transfer_mode => 'force_logical')`,
          [home.shardid, from.nodename, from.nodeport, to.nodename, to.nodeport],
        );
        figures.movesMs.push(performance.now() - started);
        expect(await place()).toMatchObject({ nodename: to.nodename, nodeport: to.nodeport });
        await moreRecords();
      }
      // The entries were written on the worker that had the workspace first, also when it no longer had it.
      const { rows: sessions } = await operator.query(
        `select nodeport from run_command_on_workers($$select count(*) from pg_stat_activity
           where datname = current_database() and application_name = 'svcd entries'$$) where result <> '0'`,
      );
      expect(sessions).toContainEqual({ nodeport: home.nodeport });
    } finally {
      state.stop = true;
      await operator.end();
      await Promise.allSettled([running]);
    }
    const [tail, feed] = await running;

    expect(unexpected).toEqual([]);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    expect(tail).toHaveLength(acknowledged.length);
    expect(new Set(tail)).toEqual(new Set(acknowledged));
    // The list, the feed and a tail have the same order.
    expect(feed).toEqual(tail);
    expect(idsOf(await get({ sort: 'created-ascending' }))).toEqual(tail.slice(0, 100));
    // Each response has its entry. A refused request may have one too, if its commit was not confirmed.
    const { rows: entries } = await pool.query<{ count: number }>(
      `select count(*) from audit_log where workspace_id = $1 and kind = 'api.request' and status < 400`,
      [workspaceId],
    );
    const count = entries[0]?.count ?? 0;
    expect(count).toBeGreaterThanOrEqual(figures.responses);
    expect(count).toBeLessThanOrEqual(figures.responses + figures.refused);
    expect(await findingsOf(pool)).toEqual([]);
    const { responses, refused, longestMs, movesMs } = figures;
    process.stdout.write(
      `${acknowledged.length} writes, ${responses} responses, ${refused} refused, the longest request ` +
        `${Math.round(longestMs)} ms, moves ${movesMs.map((ms) => Math.round(ms)).join(' and ')} ms\n`,
    );
  },
);
