import { ROW_CHANGES_MAX } from '@svc/packed-changes';
import { CONTRACT, TOTAL_MAX_ITEMS } from '@svc/sdk/contract';
import { CHANGES_SEARCHED_MAX } from '../../src/changes/rows.ts';
import { COUNTED_ROWS_MAX, SEARCHED_ROWS_MAX } from '../../src/config/limits.ts';
import {
  COMPANY_NAMES_MAX,
  CONTENT_COUNTED_MAX,
  KEY_NOTICES_MAX,
  LISTED_USAGE_DAYS,
  MENTIONS_WEIGHED,
  SCORE_AUDITS_SAMPLED,
  SCORE_COMPANIES_MAX,
  SCORE_SPANS,
  USAGE_DAYS_MAX,
} from '../../src/dashboard/limits.ts';
import { ENTRIES_SEARCHED_MAX, IMPORTS_SEARCHED_MAX } from '../../src/dashboard/records/record-entries.ts';
import { ENDPOINTS_MAX } from '../../src/webhooks/endpoints.ts';
import { PENDING_RESET_MAX } from '../../src/webhooks/manage.ts';
import { PENDING_MAX } from '../../src/webhooks/round.ts';
import { ROWS } from './states.ts';

/** A statement of a request: a few rows, their indexes and foreign keys. */
const REQUEST_MAX = 60;
/** Each partition of the audit log has indexes of its own. */
const PARTITION_MAX = 6;
export const PAGE_ITEMS = 50;
/** A key, and the last day of its usage: the root of an index, one leaf or two, and the row. */
export const LAST_USE_MAX = 5;
export const IMPORTED = 1_000;
/** An imported row: its indexes and the row. */
const IMPORTED_ROW_MAX = 25;
/** A delivery that is changed: the row, and six indexes, which PostgreSQL 15 descends from the root. */
const DELIVERY_ROW_MAX = 32;
const FOUND_ROW_MAX = 5;
/** A row of the feed: its index and the row. */
const FEED_ROW_MAX = 10;
/** Rows that are compared one by one, and the pages of their index. */
const SEARCH_MAX = SEARCHED_ROWS_MAX * 1.05;
/** The pending list and a sample for each of three marks and four words, catalogs, and records that are in no block yet. */
const WORDS_MAX = 4 * 3 * (40 + 100) + 400 + SEARCH_MAX;

/** A look-up: the pages of an index above the leaf, the leaf and the row. */
const READ_MAX = 5;
/** The most members that the requests of the test add to the workspace. */
const MEMBERS = 110;
/** The people whose emails and workspaces a command reads at once. */
export const LISTED_PEOPLE = 50;
const CONTENT_STATUSES = CONTRACT.content.fields.status.values.length;

/** How many buffers a statement may need besides, by its name: those that read more rows than a page. */
const MORE: Readonly<Record<string, number>> = {
  newest_sentiments: MENTIONS_WEIGHED,
  // Each endpoint of a workspace that is deleted or restored, once.
  suspend_endpoints: ENDPOINTS_MAX * DELIVERY_ROW_MAX,
  resume_endpoints: ENDPOINTS_MAX * DELIVERY_ROW_MAX,
  // Each member with their account. The list has no pages.
  read_members: MEMBERS * READ_MAX,
  // The newest keys, and a look-up of each that has a notice with its last use.
  keys_with_notices: SEARCHED_ROWS_MAX * 1.05 + 2 * KEY_NOTICES_MAX * (READ_MAX + LAST_USE_MAX),
  // A page of keys, each with its creator and seven days of usage.
  details_of_listed_keys: PAGE_ITEMS * (READ_MAX + LAST_USE_MAX + LISTED_USAGE_DAYS),
  usage_of_key: USAGE_DAYS_MAX,
  // Each member, by the index, when a person joins.
  count_members: 150,
  emails_of_users: LISTED_PEOPLE * READ_MAX,
  // Each person, with one workspace.
  workspaces_of_users: LISTED_PEOPLE * 2 * READ_MAX,
  // A page of users, each with their workspaces.
  list_users: 500,
  content_per_status: CONTENT_STATUSES * (CONTENT_COUNTED_MAX * 1.05 + READ_MAX),
  // The audits that decide which companies are shown, and the last audit of each company, for each span.
  scores_of_companies: SCORE_SPANS * (SCORE_AUDITS_SAMPLED + READ_MAX + SCORE_COMPANIES_MAX * READ_MAX),
  count_pending_deliveries: PENDING_MAX * 1.05,
  // Each delivery that waits, in the indexes of their table.
  fail_unwanted_deliveries: PENDING_RESET_MAX * DELIVERY_ROW_MAX,
  reset_pending_deliveries: PENDING_RESET_MAX * DELIVERY_ROW_MAX,
  // A look-up for each imported id that sorts before another one.
  ranks_of_audits: IMPORTED * FOUND_ROW_MAX,
  // The entries that are not counted yet, here all of the workspace (usage.test.ts).
  count_usage: ROWS * 1.5,
  count_usage_in_shard: ROWS * 1.5,
  count_traffic_in_shard: ROWS * 1.5,
  end_of_uncounted: PAGE_ITEMS * FOUND_ROW_MAX,
  // Its entries, in the partitions of the log, and five statements.
  count_entries_in_shard: PAGE_ITEMS * FOUND_ROW_MAX,
  // For each workspace that it looks at, the mark and the clock of the log.
  search_usage_marks: 1_000 * 10,
  // The rows of the feed, each with one change, and the look-ups of the records that it does not contain.
  ...Object.fromEntries(
    ['up', 'up_from', 'down', 'down_from'].flatMap((range) => [
      [`page_changes_${range}`, PAGE_ITEMS + ROW_CHANGES_MAX],
      [`search_changes_${range}`, CHANGES_SEARCHED_MAX * 1.05],
    ]),
  ),
  // The rows of the feed for the audits of an import.
  note_changes: Math.ceil(IMPORTED / ROW_CHANGES_MAX) * FEED_ROW_MAX,
  changed_audits: PAGE_ITEMS * FOUND_ROW_MAX,
  searched_audits: CHANGES_SEARCHED_MAX * FOUND_ROW_MAX,
  // The rows of the feed, and the entries after each change of a page.
  search_record_changes: SEARCHED_ROWS_MAX * 1.05,
  entries_of_changes: PAGE_ITEMS * ENTRIES_SEARCHED_MAX * 1.05,
  imports_before: IMPORTS_SEARCHED_MAX * FOUND_ROW_MAX,
  search_companies: SEARCHED_ROWS_MAX * 1.05 + 2 * COMPANY_NAMES_MAX,
};

/** The first look for the last block of words passes the blocks that were removed before: at most all of a list. */
const REMOVED_BLOCKS_MAX = Math.ceil(ROWS / 32);

/** The most buffers of a declared statement, with so many partitions of the audit log. */
export function mostOf(text: string, name: string, partitions: number): number {
  if (text.startsWith('copy')) return REQUEST_MAX + IMPORTED * IMPORTED_ROW_MAX;
  const total = text.includes(') counted) as total') ? TOTAL_MAX_ITEMS + 1 : 0;
  // The last use of a key is one row of its usage.
  const each = text.includes('api_key_records') ? LAST_USE_MAX : 1;
  const searches = text.includes('is_last') ? (text.includes(') as meets') ? 2 : 1) : 0;
  const isPage = name.startsWith('page_') || name.startsWith('rows_');
  const page = isPage ? PAGE_ITEMS * each + total + searches * SEARCH_MAX : 0;
  const counted = name.startsWith('counted_list_') ? COUNTED_ROWS_MAX * 1.05 : 0;
  const byWords = text.includes(' by_words') || text.includes('found_by_words') ? WORDS_MAX : 0;
  const found = name.startsWith('search_records_') ? SEARCH_MAX : 0;
  const blocks = /^(update|delete from) (companies|mentions|content)\b/.test(text) ? REMOVED_BLOCKS_MAX : 0;
  const ofLog = text.includes('audit_log') ? partitions * PARTITION_MAX : 0;
  return REQUEST_MAX + page + counted + found + byWords + blocks + ofLog + (MORE[name] ?? 0);
}
