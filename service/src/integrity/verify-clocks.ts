import { ERRORS } from '@svc/sdk/contract';
import { statement, statements } from '../database/statement.ts';
import { columnName } from '../resources/define.ts';
import { RECORD_RESOURCES } from '../resources/index.ts';
import { type VerifyOptions, withoutStatementTimeout } from './finding.ts';

/** A clock of a workspace, and the columns with times from it. */
interface ClockCase {
  readonly name: string;
  readonly table: string;
  readonly column: string;
  readonly times: readonly (readonly [relation: string, column: string])[];
}

function clocksOf(): readonly ClockCase[] {
  const ofRecords = RECORD_RESOURCES.flatMap(({ list, fields, server }) => {
    const given = server.filter((name) => fields[name]?.kind === 'time');
    const columns = new Set(['created_at', ...given.map(columnName)]);
    return [...columns].map((column) => [list.relation, column] as const);
  });
  return [
    {
      name: 'records',
      table: 'workspace_clocks',
      column: 'last_at',
      times: [...ofRecords, ['api_keys', 'created_at'], ['changes', 'last_at']],
    },
    {
      name: 'audit log',
      table: 'live_meters',
      column: 'last_entry_at',
      times: [['audit_log', 'created_at']],
    },
  ];
}

/** A clock may be this far in the future: it advances by a microsecond per record of a large batch. */
const TOLERANCE = `interval '1 minute'`;

const clockStatement = statements('verify_clocks', 'bulk');
/** The feed is complete after each time that the clock has given, so also from the repaired clock on. */
const lowerFeedStart = statement('lower_feed_start', 'request')`
  update feed_starts f set complete_after = c.last_at from workspace_clocks c
  where f.workspace_id = $1 and c.workspace_id = $1 and f.complete_after > c.last_at`;

/**
 * Verifies the clocks of a workspace. A clock before its newest time would give that time again, and a client that pages
 * towards newer records would miss a record. A clock in the future, because the database's clock once was, would give all
 * new records future times, and without an audit-log partition for its time no request could be logged. A repair sets the
 * clock to now, or to its newest time if that is later.
 */
export async function verifyClocks(
  { pool, repair, onFinding }: VerifyOptions,
  workspaceId: string,
): Promise<void> {
  for (const { name, table, column, times } of clocksOf()) {
    const each = times
      .map(([relation, time]) => `select max(${time}) as at from ${relation} where workspace_id = $1`)
      .join(' union all ');
    const newest = `(select max(at) as at from (${each}) each) newest`;
    const { rows } = await withoutStatementTimeout(pool, (client) =>
      client.query<{ at: string; newest: string | null; early: boolean }>(
        clockStatement(
          `compare_${table}`,
          `select c.${column}::text as at, newest.at::text as newest, coalesce(c.${column} < newest.at, false) as early
         from ${newest}, ${table} c where c.workspace_id = $1
           and (c.${column} < newest.at or c.${column} > greatest(newest.at, clock_timestamp() + ${TOLERANCE}))`,
        )(workspaceId),
      ),
    );
    const [wrong] = rows;
    if (wrong === undefined) continue;
    if (repair) {
      await withoutStatementTimeout(pool, async (client) => {
        // While this transaction has the lock, all allocated times are committed, and no transaction allocates one.
        const lock = `select 1 from ${table} where workspace_id = $1 for update`;
        await client.query(clockStatement(`lock_${table}`, lock)(workspaceId));
        const update = `update ${table} c set ${column} = greatest(newest.at, least(c.${column}, statement_timestamp()))
           from ${newest} where c.workspace_id = $1`;
        await client.query(clockStatement(`repair_${table}`, update)(workspaceId));
        await client.query(lowerFeedStart(workspaceId));
      });
    }
    await onFinding({
      workspaceId,
      problem: 'clock',
      detail: wrong.early
        ? `the clock of the ${name} is earlier than its newest time, ${wrong.newest}`
        : `the clock of the ${name} is in the future: ${wrong.at}`,
      repaired: repair,
    });
  }
}

const FUTURE_MONTH = `select month::text from live_meters
  where workspace_id = $1 and month > date_trunc('month', now() + ${TOLERANCE})::date`;
const selectFutureMonth = statement('future_month', 'request')`${FUTURE_MONTH}`;
const lockFutureMonth = statement('lock_future_month', 'request')`${FUTURE_MONTH} for update`;
const repairMonth = statement('repair_month', 'bulk')`
  update live_meters set month = this.first, live_requests = (
    select count(*) from audit_log where workspace_id = $1 and kind = 'api.request' and status <> $2
      and created_at >= this.month and created_at < this.month + interval '1 month')
  from (select date_trunc('month', now()) as month, date_trunc('month', now())::date as first) this where workspace_id = $1`;

/**
 * Verifies the month that live requests are counted for. With a future month, the count would not be reset before that
 * month ends, so an exceeded quota would stay exceeded. A repair counts again from the log: all live requests, except
 * those that were refused by a limit. That may be less than was used, because further units of streams and exports have no
 * entry, or more, because the entry of a refusal does not say whether the network of the client was the reason.
 */
export async function verifyMonth(
  { pool, repair, onFinding }: VerifyOptions,
  workspaceId: string,
): Promise<void> {
  const wrong = await withoutStatementTimeout(pool, async (client) => {
    const { rows } = await client.query<{ month: string }>(
      repair ? lockFutureMonth(workspaceId) : selectFutureMonth(workspaceId),
    );
    if (repair && rows.length > 0) {
      await client.query(repairMonth(workspaceId, ERRORS.quota_exceeded.status));
    }
    return rows[0];
  });
  if (wrong === undefined) return;
  await onFinding({
    workspaceId,
    problem: 'quota',
    detail:
      `live requests are counted for a future month, ${wrong.month}. A repair counts the entries of the log: ` +
      'without further units of streams and exports, and with refusals because of the network',
    repaired: repair,
  });
}
