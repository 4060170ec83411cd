import type pg from 'pg';
import { preparedStatements } from '../database/statement.ts';

/** The last id of a workspace, in the order of ids, and its rank. */
export interface LastId {
  readonly id: string;
  readonly rank: number;
}

/** A transaction that is not committed yet, and that this one continues. */
export interface Uncommitted {
  readonly ids: Pick<ReadonlySet<string>, 'has'>;
  /** Undefined: its table has no column `id_order`. */
  readonly last: LastId | undefined;
  readonly committed: Promise<unknown>;
}

/** Hexadecimal digits of a rank, with which each `id_order` begins. */
export const RANK_DIGITS = 10;

const selectLast = preparedStatements('last_id', 'bulk');
const selectRanks = preparedStatements('ranks_of_ids', 'bulk');

/**
 * Returns the `id_order` of new ids, hexadecimal, and the last id after them. These values sort like the ids
 * (docs/decisions/0021). An id after all others gets the next rank. Any other id is stored in its `id_order`, after the rank
 * of the id before it. The caller holds the lock of the clock.
 */
export async function orderIds(
  client: pg.ClientBase,
  relation: string,
  workspaceId: string,
  ids: readonly string[],
  { id: lastId, rank }: LastId,
  earlier?: Promise<unknown>,
): Promise<{ readonly orders: ReadonlyMap<string, string>; readonly last: LastId }> {
  const sorted = ids.toSorted();
  const after = sorted.findIndex((id) => id > lastId);
  const between = after < 0 ? sorted : sorted.slice(0, after);
  const ranked = sorted.slice(between.length);
  const orders = new Map(ranked.map((id, index) => [id, hexOf(rank + index + 1)]));
  if (between.length > 0) {
    await earlier;
    const select = selectRanks(
      `ranks_of_${relation}`,
      `select wanted.id, encode((select substr(id_order, 1, 5) from ${relation}
         where workspace_id = $1 and id < wanted.id order by id desc limit 1), 'hex') as rank
       from unnest($2::text[]) as wanted (id)`,
    );
    const { rows } = await client.query<{ id: string; rank: string | null }>(select(workspaceId, between));
    for (const row of rows)
      orders.set(row.id, `${row.rank ?? hexOf(0)}${Buffer.from(row.id).toString('hex')}`);
  }
  return { orders, last: { id: ranked.at(-1) ?? lastId, rank: rank + ranked.length } };
}

const hexOf = (rank: number): string => rank.toString(16).padStart(RANK_DIGITS, '0');

/** The last id of an empty workspace. */
export const FIRST_ID: LastId = { id: '', rank: 0 };

/** The last id of a workspace, after those of `before`. The caller holds the lock of the clock. */
export async function lastIdOf(
  client: pg.ClientBase,
  relation: string,
  workspaceId: string,
  before: Uncommitted | undefined,
): Promise<LastId> {
  if (before?.last !== undefined) return before.last;
  const select = selectLast(
    `last_id_of_${relation}`,
    `select id, encode(substr(id_order, 1, 5), 'hex') as rank from ${relation}
     where workspace_id = $1 order by id desc limit 1`,
  );
  const { rows } = await client.query<{ id: string; rank: string }>(select(workspaceId));
  const [row] = rows;
  return row === undefined ? FIRST_ID : { id: row.id, rank: Number.parseInt(row.rank, 16) };
}
