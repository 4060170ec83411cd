import type { Connections, Shares } from '@svc/turns/lane';
import pg from 'pg';
import { vi } from 'vitest';
import { createPool } from '../../src/database/pool.ts';
import type { NodeForm } from '../../src/database/statement.ts';
import type { TestDatabase } from '../harness/database.ts';

/** How PostgreSQL plans a statement with parameters: for each set of values, or once for all. */
export const PLANS = ['force_custom_plan', 'force_generic_plan'] as const;
type Plan = (typeof PLANS)[number];

/** A statement that ran, with the buffers of tables and indexes that it asked for. */
export interface Measured {
  readonly text: string;
  readonly buffers: number;
  /** The buffers of each table and index. */
  readonly relations: Readonly<Record<string, number>>;
}

/** A connection with the settings of the service, in a transaction that is rolled back. */
export interface Meter {
  readonly client: pg.PoolClient;
  /** Runs `work`. Returns its statements with their buffers: those of planning, triggers and foreign keys included. */
  measure(work: (client: pg.PoolClient) => Promise<unknown>): Promise<readonly Measured[]>;
  /** The buffers and the plan of a statement that only reads, from EXPLAIN (ANALYZE). */
  explain(statement: pg.QueryConfig): Promise<{ readonly buffers: number; readonly plan: string }>;
}

/**
 * Counts what the current transaction has asked for, of the service's tables. Catalogs have oids below 16384. Their TOAST
 * tables do not count: the first plan of a connection reads long statistics from them. A connection reads catalogs again
 * whenever another one has changed them, so a count with catalogs would differ from run to run.
 */
const COUNT = `select relname as name, buffers from
  (select relname, pg_stat_get_xact_blocks_fetched(oid)::int as buffers from pg_class
   where relkind in ('r', 'i', 't') and relnamespace in ('public'::regnamespace, 'pg_toast'::regnamespace)
     and oid >= 16384) each
  where buffers > 0`;
type Count = pg.QueryResult<{ readonly name: string; readonly buffers: number }>;

export async function metered<T>(
  { url }: Pick<TestDatabase, 'url'>,
  plan: Plan,
  work: (meter: Meter) => Promise<T>,
): Promise<T> {
  const pool = createPool({ url, max: 1, name: 'meter', onError: () => undefined });
  const client = await pool.connect();
  try {
    await client.query(`set plan_cache_mode = ${plan}`);
    await client.query('begin');
    return await work({
      client,
      measure: (run) => measure(client, run),
      explain: (statement) => explain(client, statement),
    });
  } finally {
    await client.query('rollback');
    client.release();
    await pool.end();
  }
}

async function measure(
  client: pg.PoolClient,
  run: (client: pg.PoolClient) => Promise<unknown>,
): Promise<readonly Measured[]> {
  const counts: Promise<Measured>[] = [];
  const count = (): Promise<Count> => client.query(COUNT);
  const counting = Object.create(client) as pg.PoolClient;
  // The client runs one statement at a time in the order of the calls, a COPY too.
  counting.query = ((statement: pg.QueryConfig | pg.Submittable | string, values?: unknown[]) => {
    const before = count();
    const result = client.query(statement as pg.QueryConfig, values);
    const after = count();
    counts.push(
      Promise.all([before, after]).then(([from, to]) => ({ text: textOf(statement), ...between(from, to) })),
    );
    return result;
  }) as typeof client.query;
  await run(counting);
  return Promise.all(counts);
}

/** What was asked for between two counts. */
function between(from: Count, to: Count): Pick<Measured, 'buffers' | 'relations'> {
  const before = new Map(from.rows.map(({ name, buffers }) => [name, buffers]));
  const relations = to.rows
    .map(({ name, buffers }) => [name, buffers - (before.get(name) ?? 0)] as const)
    .filter(([, buffers]) => buffers > 0);
  return {
    buffers: relations.reduce((sum, [, buffers]) => sum + buffers, 0),
    relations: Object.fromEntries(relations),
  };
}

/** The text of a statement, as `query` accepts it. */
function textOf(statement: pg.QueryConfig | pg.Submittable | string): string {
  if (typeof statement === 'string') return statement;
  return 'text' in statement ? String(statement.text) : 'copy';
}

async function explain(
  client: pg.PoolClient,
  { text, values = [] }: pg.QueryConfig,
): Promise<{ readonly buffers: number; readonly plan: string }> {
  await client.query(`prepare explained as ${text}`);
  try {
    const parameters = values.length === 0 ? '' : `(${values.map((value) => literal(value)).join(', ')})`;
    const before = await client.query(COUNT);
    const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: object }] }>(
      `explain (analyze, timing off, format json) execute explained ${parameters}`,
    );
    const { buffers } = between(before, await client.query(COUNT));
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    if (plan === undefined) throw new Error('there is no plan');
    return {
      buffers,
      plan: JSON.stringify(plan, ['Node Type', 'Index Name', 'Index Cond', 'Filter', 'Plans'], 1),
    };
  } finally {
    await client.query('deallocate explained');
  }
}

const literal = (value: unknown): string => pg.escapeLiteral(String(value));

/**
 * Runs `work` and returns the statements that this process has sent meanwhile, with their buffers. Pages are also measured
 * in their form for a node.
 */
export async function meteredProcess(work: () => Promise<unknown>): Promise<readonly Measured[]> {
  const original = pg.Client.prototype.query as (this: pg.Client, ...all: unknown[]) => unknown;
  const inTransaction = new WeakSet<pg.Client>();
  const counts: Promise<Measured | undefined>[] = [];
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function measured(
    this: pg.Client,
    ...all: unknown[]
  ) {
    const run = (...given: unknown[]): unknown => original.apply(this, given);
    const text = textOf(all[0] as string).trim();
    if (/^(begin|start transaction)/i.test(text)) inTransaction.add(this);
    if (/^(commit|rollback$)/i.test(text)) inTransaction.delete(this);
    if (/^(begin|start|commit|rollback|savepoint|release|set|fetch)/i.test(text)) return run(...all);
    const alone = !inTransaction.has(this);
    const count = (): Promise<Count> => run(COUNT) as Promise<Count>;
    const counted = (name: string, ...given: unknown[]): unknown => {
      const begun = alone ? (run('begin') as Promise<unknown>) : undefined;
      const before = count();
      const result = run(...given);
      const after = count();
      const ended = alone ? (run('commit') as Promise<unknown>) : undefined;
      // A statement that fails has no result to measure.
      counts.push(
        Promise.all([before, after, begun, ended]).then(
          ([from, to]) => ({ text: name, ...between(from, to) }),
          () => undefined,
        ),
      );
      return result;
    };
    const result = counted(text, ...all);
    const { onNode, values } = all[0] as pg.QueryConfig & { readonly onNode?: NodeForm };
    // If it fails, it is not among the results.
    if (onNode !== undefined)
      (counted(onNode.text, onNode.text, values) as Promise<unknown>).catch(() => undefined);
    return result as never;
  });
  try {
    await work();
    return (await Promise.all(counts)).filter((each) => each !== undefined);
  } finally {
    spy.mockRestore();
  }
}

/** The URL of a database whose connections plan like this. */
export function urlWithPlan(url: string, plan: Plan): string {
  const separator = url.includes('?') ? '&' : '?';
  return `${url}${separator}options=${encodeURIComponent(`-c plan_cache_mode=${plan}`)}`;
}

/** Shares of one connection in a transaction. Transactions on it neither begin nor end. */
export function sharesOf(client: pg.PoolClient): Shares & { readonly connections: Connections } {
  const inside = Object.create(client) as pg.PoolClient;
  inside.query = ((statement: pg.QueryConfig | string, values?: unknown[]) =>
    ['begin', 'commit'].includes(textOf(statement))
      ? Promise.resolve({ command: 'COMMIT' })
      : client.query(statement as pg.QueryConfig, values)) as typeof client.query;
  inside.release = () => undefined;
  const connections: Connections = {
    query: (query, values) => inside.query(query as string, values),
    connect: () => Promise.resolve(inside),
  };
  return { of: () => connections, connections };
}
