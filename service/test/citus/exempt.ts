import type { Rule } from './faults.ts';

/** Statements that may go to several nodes of a cluster, by the reason. Each has the faults that it may have. */
interface Exemption {
  readonly reason: string;
  readonly rules: readonly Rule[];
  readonly statements: readonly string[];
}

const EXEMPTIONS: readonly Exemption[] = [
  {
    reason: 'a job visits the workspaces page by page, or deletes what is expired of all of them',
    rules: ['unbound', 'several workspaces'],
    statements: [
      'workspaces_after',
      'deleted_endpoints',
      'removable_workspaces',
      'workspaces_with_events',
      'written_workspaces',
      'delete_expired_imports',
      'delete_expired_invitations',
      'delete_expired_idempotent_answers',
      'delete_expired_webhook_deliveries',
      'delete_expired_webhook_attempts',
      'oldest_traffic',
      'delete_endpoints',
      'add_quota_notices',
      'deployment_figures',
      'expiring_keys',
      'uncopied_workspaces',
    ],
  },
  {
    reason: 'it looks for values that were sealed with other secrets, when a process starts or by a job',
    rules: ['unbound'],
    statements: [
      'judge_secrets',
      'keys_of_old_secrets',
      'keys_of_lost_secrets',
      'endpoint_secrets_of_other_keys',
    ],
  },
  {
    reason: 'it asks, before a migration, whether the log is empty; not in a cluster',
    rules: ['unbound'],
    statements: ['log_is_empty'],
  },
  {
    reason: 'a command of the operator reads or writes all workspaces once',
    rules: ['unbound'],
    statements: [
      'all_workspaces',
      'list_workspaces',
      'estimate_records',
      'times_ahead',
      'workspaces_of_users',
      'demo_workspace',
      'expire_positions',
      'renew_deletions',
      'keys_of_indexes',
    ],
  },
  {
    reason: 'the dashboard asks for the workspaces of a person, or for the workspace of an invitation',
    rules: ['unbound'],
    statements: [
      'workspaces_of_user',
      'workspaces_of_person',
      'find_ownership',
      'count_owned_workspaces',
      'may_reset_password',
      'find_invitation',
    ],
  },
  {
    reason: 'a process delivers to the endpoints of all workspaces, and one statement leases some of them',
    rules: ['unbound', 'writes several workspaces'],
    statements: ['free_endpoints', 'take_free_in_cluster', 'renew_leases_in_cluster', 'release_leases'],
  },
  {
    reason: 'the same for one PostgreSQL, which leaves out rows that are locked',
    rules: ['unbound', 'several workspaces', 'locks several workspaces'],
    statements: ['take_free_endpoints', 'renew_leases'],
  },
  {
    reason: 'one statement of a process does the work of many workspaces in the background',
    rules: ['unbound', 'several workspaces', 'writes several workspaces', 'locks several workspaces'],
    statements: ['search_usage_marks', 'signal_versions'],
  },
  {
    reason: 'on one PostgreSQL, one statement and one commit are for all workspaces (docs/decisions/0017)',
    rules: ['several workspaces', 'writes several workspaces', 'locks several workspaces'],
    statements: ['write_requests', 'count_usage'],
  },
  {
    reason: 'only one PostgreSQL runs it (audit-log/audit-writer.ts)',
    rules: ['several workspaces', 'locks several workspaces'],
    statements: ['free_logs'],
  },
  {
    reason: 'the demo has its own data directory, with the embedded PostgreSQL',
    rules: ['volatile change', 'unknown function'],
    statements: ['demo_key_creation'],
  },
];

/** The faults that statements may have, by the name of their declaration. */
export const EXEMPT: ReadonlyMap<string, readonly Rule[]> = new Map(
  EXEMPTIONS.flatMap(({ statements, rules }) => statements.map((name) => [name, rules] as const)),
);
