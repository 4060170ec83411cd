/**
 * Where a table is in a cluster of Citus. `workspace`: divided by the workspace of its rows, so that all rows of a workspace
 * are on one node. `reference`: the whole table is on each node. `local`: only on the coordinator.
 */
export type TablePlacement = 'workspace' | 'reference' | 'local';

/** The placement of each table (docs/scale.md). A migration that creates a table adds it here. */
export const TABLE_PLACEMENTS: Readonly<Record<string, TablePlacement>> = {
  // People, and what is looked up before a workspace is known.
  users: 'reference',
  sessions: 'reference',
  ended_sessions: 'reference',
  accounts: 'reference',
  verifications: 'reference',
  second_factors: 'reference',
  one_time_links: 'reference',
  rate_limits: 'reference',
  sign_in_attempts: 'reference',
  dashboard_idempotency_keys: 'reference',
  deployment_secrets: 'reference',
  key_workspaces: 'reference',

  workspaces: 'workspace',
  workspace_clocks: 'workspace',
  companies: 'workspace',
  audits: 'workspace',
  mentions: 'workspace',
  content: 'workspace',
  record_counts: 'workspace',
  word_blocks: 'workspace',
  changes: 'workspace',
  feed_starts: 'workspace',
  pending_events: 'workspace',
  idempotent_answers: 'workspace',
  imports: 'workspace',
  api_keys: 'workspace',
  live_meters: 'workspace',
  key_usage: 'workspace',
  quota_notices: 'workspace',
  traffic: 'workspace',
  usage_marks: 'workspace',
  // With its partitions.
  audit_log: 'workspace',
  members: 'workspace',
  invitations: 'workspace',
  webhook_endpoints: 'workspace',
  webhook_deliveries: 'workspace',
  webhook_attempts: 'workspace',

  schema_migrations: 'local',
};

/** The column that says to which workspace a row of a table belongs. */
export const workspaceColumn = (table: string): string => (table === 'workspaces' ? 'id' : 'workspace_id');

/**
 * Triggers that a cluster does not have. The first writes a reference table, which a trigger of a divided table cannot do;
 * it serves nodes of versions that do not know clusters. The next two serve the statement `write_requests`, which a cluster
 * does not run. The others serve the blocks of words, which a cluster does not have.
 */
export const LOCAL_TRIGGERS: readonly string[] = [
  'of_earlier_node',
  'count_key_change',
  'count_key_deletions',
  'index_changed_words',
  'index_created_words',
  'remove_words',
];

/**
 * Functions of the database whose calls run on the node of a workspace, and the parameter that has it. Outside of a
 * transaction, the coordinator hands over the whole call.
 */
export const DISTRIBUTED_FUNCTIONS: Readonly<Record<string, string>> = {
  write_requests: 'anchor',
  count_entries: 'anchor',
};
