import type { WorkspaceEventRecord, WorkspaceEventType } from '@svc/sdk/contract';
import type { Queryable } from '@svc/turns/lane';
import { newId } from '../config/ids.ts';
import { statement } from '../database/statement.ts';

/** What happened to a workspace. */
interface NewWorkspaceEvent<Type extends WorkspaceEventType> {
  readonly type: Type;
  /** Id of what the event is about. */
  readonly recordId: string;
  /** Null: the event is about the whole workspace. */
  readonly companyId: string | null;
  /** The `record` of the change. */
  readonly record: WorkspaceEventRecord<Type>;
}

const insertEvent = statement('add_pending_event', 'request')`
  insert into pending_events (workspace_id, id, type, record_id, company_id, doc) values ($1, $2, $3, $4, $5, $6)`;

/**
 * Stores an event in the transaction that causes it. It enters the feed within about a second (publish-events.ts), because
 * the cause must not wait for the clock of the workspace.
 */
export async function addWorkspaceEvent<Type extends WorkspaceEventType>(
  client: Queryable,
  workspaceId: string,
  { type, recordId, companyId, record }: NewWorkspaceEvent<Type>,
): Promise<void> {
  await client.query(
    insertEvent(workspaceId, newId('evt'), type, recordId, companyId, JSON.stringify(record)),
  );
}
