import { waitFor } from '@svc/embedded-postgres/testing';
import type pg from 'pg';
import { type FeedChange, isSuccess } from '../history.ts';
import { RECOVERY } from '../node.ts';
import type { NamedToken } from '../recorder.ts';
import type { Scene } from '../scene.ts';

const LIMIT = 100;

interface Page {
  readonly data: readonly { readonly id: string; readonly type: string }[];
  readonly pagination: { readonly position: string };
}

/**
 * Records all changes of a workspace after a position, once nothing writes to it any more. The events of a workspace enter
 * its feed a little later than what caused them.
 */
export async function recordFeed(
  scene: Scene,
  token: NamedToken,
  { pool, after }: { readonly pool: pg.Pool; readonly after: string },
): Promise<void> {
  const { workspaceId } = token;
  await waitFor(async () => {
    const { rowCount } = await pool.query('select 1 from pending_events where workspace_id = $1', [
      workspaceId,
    ]);
    if (rowCount !== 0) throw new Error(`${rowCount} events of the workspace are not in its feed`);
  }, RECOVERY);
  const changes: FeedChange[] = [];
  for (let position = after; ; ) {
    const query = new URLSearchParams({ limit: String(LIMIT), after: position });
    const { data, pagination } = await waitFor(async () => {
      const url = `${scene.nodeUrl()}/v1/changes?${query}`;
      const { attempt, body } = await scene.recorder.request(url, token);
      if (!isSuccess(attempt.status)) throw new Error(`the feed cannot be read: ${attempt.status}`);
      return body as Page;
    }, RECOVERY);
    if (data.length === 0) break;
    changes.push(...data.map((item) => ({ id: item.id, type: item.type, json: JSON.stringify(item) })));
    position = pagination.position;
  }
  scene.recorder.feeds.push({ workspaceId, changes });
}
