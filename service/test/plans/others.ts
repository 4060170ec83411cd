import { randomUUID } from 'node:crypto';
import { PENDING_MAX } from '../../src/webhooks/round.ts';
import { LISTED_PEOPLE, PAGE_ITEMS } from './most.ts';
import { FULL_ENDPOINT, WAITING_ENDPOINT } from './states.ts';

const ENTRIES_OF_ONE = 50;
const PEOPLE = Array.from({ length: LISTED_PEOPLE }, (_, i) => `usr_${i + 1}`);
const TEST_SUMS = JSON.stringify([{ key_id: 'key_of_test', bucket: 1, requests: 2, errors: 1 }]);

/** Statements that no request here causes: of commands, and of requests that wait for a lock. With their values. */
export const OTHERS: Readonly<Record<string, (workspaceId: string) => readonly unknown[]>> = {
  any_user: () => [],
  append_changes: (workspaceId) => [workspaceId, [], [], [], [], []],
  begin_replay: (workspaceId) => [workspaceId, FULL_ENDPOINT, 'nobody', 'chg_0'],
  cancel_sign_in: () => ['user', 'token'],
  count_entries_in_shard: (workspaceId) => [workspaceId, [workspaceId], ENTRIES_OF_ONE],
  count_test_traffic_in_shard: (workspaceId) => [workspaceId, TEST_SUMS],
  count_test_usage_in_shard: (workspaceId) => [workspaceId, TEST_SUMS],
  count_traffic_in_shard: (workspaceId) => [workspaceId, '-infinity', 'infinity'],
  count_usage_in_shard: (workspaceId) => [workspaceId, '-infinity', 'infinity'],
  count_pending_deliveries: (workspaceId) => [workspaceId, FULL_ENDPOINT, PENDING_MAX],
  read_own_member: (workspaceId) => [workspaceId, 'user'],
  delete_second_factor: () => ['user'],
  delete_set_up_links: () => [],
  disable_second_factor: () => ['user'],
  emails_of_users: () => [PEOPLE],
  enable_endpoint: (workspaceId) => [workspaceId, FULL_ENDPOINT, null],
  end_import_run: (workspaceId) => [workspaceId, 'imp', 'run'],
  end_of_uncounted: (workspaceId) => [workspaceId, '-infinity', ENTRIES_OF_ONE],
  free_logs: (workspaceId) => [[workspaceId]],
  has_usage_mark: (workspaceId) => [workspaceId],
  index_earlier_words: (workspaceId) => [workspaceId, 'mentions', ['men_1_1']],
  key_name: (workspaceId) => [workspaceId, 'key_1'],
  fail_unwanted_deliveries: (workspaceId) => [workspaceId, WAITING_ENDPOINT, '', ['content.updated'], null],
  find_workspace: (workspaceId) => [workspaceId],
  list_workspaces: () => ['', false, PAGE_ITEMS],
  list_users: () => ['', PAGE_ITEMS],
  lock_second_factor_state: () => ['user'],
  lock_free_usage_mark: (workspaceId) => [workspaceId],
  note_ended_sessions: () => [[Buffer.alloc(32)], 'revoked'],
  move_usage_mark: (workspaceId) => [workspaceId, '2026-03-01T09:30:00Z'],
  order_of_audits: (workspaceId) => [workspaceId, 'aud_1'],
  pending_deliveries: (workspaceId) => [workspaceId, FULL_ENDPOINT, PAGE_ITEMS],
  pending_deliveries_in_order: (workspaceId) => [workspaceId, FULL_ENDPOINT, PAGE_ITEMS],
  reason_of_end: () => [Buffer.alloc(32)],
  read_endpoint: (workspaceId) => [workspaceId, FULL_ENDPOINT],
  read_quota: (workspaceId) => [workspaceId],
  record_deliveries: (workspaceId) => [
    ...[workspaceId, FULL_ENDPOINT, 'nobody', 'chg_0', null, null, false],
    ...Array.from({ length: 13 }, () => []),
    'https://example.com',
    '2026-03-01T09:30:00Z',
  ],
  record_migration: () => [9_999, 'new', ''],
  search_usage_marks: () => [''],
  signal_versions: (workspaceId) => [[workspaceId]],
  renew_import_run: (workspaceId) => [workspaceId, 'imp', 'run'],
  replay_endpoint_from: (workspaceId) => [workspaceId, WAITING_ENDPOINT, 'chg_0'],
  reseal_endpoint_secrets: (workspaceId) => [workspaceId, FULL_ENDPOINT, 'new', null, 'old', null],
  reset_pending_deliveries: (workspaceId) => [workspaceId, WAITING_ENDPOINT],
  reseal_second_factor: () => ['user', 'secret', 'codes', 'old secret', 'old codes'],
  workspaces_of_users: () => [PEOPLE],
  write_checked_requests: (workspaceId) => [
    ...[
      workspaceId,
      workspaceId,
      [workspaceId],
      ['key_1'],
      [1],
      [`log_${randomUUID()}`],
      ['{"createdAt":"'],
      ['"}'],
    ],
    ...[[true], [200], ['GET'], ['/v1/audits'], [1], '100'],
  ],
};
