import { allocateTimestamps } from '../changes/clock.ts';
import { counted } from '../config/plural.ts';
import { statement, statements } from '../database/statement.ts';
import type { Resource } from '../resources/define.ts';
import { RECORD_RESOURCES } from '../resources/index.ts';
import { type VerifyOptions, withoutStatementTimeout } from './finding.ts';

const verifyStatement = statements('verify_words', 'bulk');
const hasBlocks = statement('has_word_blocks', 'bulk')`
  select 1 from word_blocks where workspace_id = $1 limit 1`;
const removeBlocks = statement('remove_word_blocks', 'bulk')`
  delete from word_blocks where workspace_id = $1 and resource = $2`;

/** Selects how many records are before the end of the blocks, but in none of them with their words, and one of these. */
const missingWords = ({ relation, searched }: Resource['list']): string =>
  `with indexed as materialized (
    select line.id, line.words from word_blocks b
    cross join lateral unnest(b.ids, string_to_array(b.words, e'\\n')) as line (id, words)
    where b.workspace_id = $1 and b.resource = '${relation}')
  select count(*)::int as missing, min(r.id) as id from ${relation} r, last_block($1, '${relation}') l
  where r.workspace_id = $1 and (r.created_at, r.id) <= (l.last_at, l.last_id) and not exists (
    select from indexed i where i.id = r.id and i.words = search_words(${searched?.title}, ${searched?.url}))`;

/**
 * Verifies that a search by the blocks of words finds all records that it should (docs/decisions/0040). A repair removes the
 * blocks of the resource, and the service writes them again. A cluster of Citus has no blocks.
 */
export async function verifyWords(
  { pool, repair, onFinding }: VerifyOptions,
  workspaceId: string,
): Promise<void> {
  if ((await pool.query(hasBlocks(workspaceId))).rowCount === 0) return;
  for (const { name, list } of RECORD_RESOURCES.filter((each) => each.list.searched !== undefined)) {
    const select = verifyStatement(`words_of_${list.relation}`, missingWords(list))(workspaceId);
    const found = await withoutStatementTimeout(pool, (client) => client.query(select));
    const { missing = 0, id } = found.rows[0] ?? {};
    if (missing === 0) continue;
    if (repair) {
      await withoutStatementTimeout(pool, async (client) => {
        // Locks the clock, and advances it, so that the service looks for records that are in no block.
        await allocateTimestamps(client, workspaceId, 1);
        await client.query(removeBlocks(workspaceId, list.relation));
      });
    }
    await onFinding({
      workspaceId,
      problem: 'words',
      detail: `${name}: a search misses words of ${counted(missing, 'record', 'records')}, such as ${id}`,
      repaired: repair,
    });
  }
}
