import type pg from 'pg';
import type { BaseLogger } from 'pino';
import { failedFor } from './errors.ts';
import { begin, commit, removeStatementTimeout, rollback } from './pool.ts';
import { statement } from './statement.ts';

/** Audits of a transaction. Their workspace cannot be written to meanwhile, about 0.2 s. */
const CHUNK_AUDITS = 5_000;
const PROGRESS_AUDITS = 100_000;

const ONCE = 'background: the first start after an upgrade reads all audits once';

const selectUncopied = statement('uncopied_workspaces', ONCE)`
  select w.id, coalesce(n.records, 0) as audits from workspaces w
  left join record_counts n on n.workspace_id = w.id and n.resource = 'audits' and n.company_id = ''
  where not exists (select from copied_audits c where c.workspace_id = w.id and c.copied_to = '~') order by w.id`;
// The migration that replaces the table waits for this lock, or has replaced it.
const lockTable = statement('lock_audits_for_copy', 'control')`lock table audits in access share mode`;
const lockClock = statement('lock_clock_for_copy', ONCE)`
  select 1 from workspace_clocks where workspace_id = $1 for update`;
const copyChunk = statement('copy_audits', ONCE)`select copy_audits($1, $2) as copied`;

/**
 * Copies the audits of all workspaces into the table that the next migration puts in place of `audits`, and reports
 * progress. The database remembers how far it got. Several nodes may copy at the same time.
 */
export async function copyAudits(client: pg.PoolClient, log?: Pick<BaseLogger, 'info'>): Promise<void> {
  try {
    const { rows } = await client.query<{ id: string; audits: string | number }>(selectUncopied());
    const total = rows.reduce((sum, { audits }) => sum + Number(audits), 0);
    let copied = 0;
    let reported = 0;
    const report = (): void => {
      reported = copied;
      log?.info({ copied, total }, `copied ${copied} of about ${total} audits to the table with short keys`);
    };
    for (const { id } of rows) {
      for (let chunk = CHUNK_AUDITS; chunk === CHUNK_AUDITS; ) {
        await client.query(begin());
        await client.query(removeStatementTimeout());
        await client.query(lockTable());
        await client.query(lockClock(id));
        const result = await client.query<{ copied: string | number }>(copyChunk(id, CHUNK_AUDITS));
        chunk = Number(result.rows[0]?.copied);
        await commit(client);
        copied += chunk;
        if (copied - reported >= PROGRESS_AUDITS) report();
      }
    }
    if (copied > reported) report();
  } catch (error) {
    await client.query(rollback()).catch(() => undefined);
    // Another node has copied all audits and replaced the table.
    if (!failedFor(error, 'undefined_table', 'undefined_function')) throw error;
  }
}
