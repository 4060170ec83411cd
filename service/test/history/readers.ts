import { elapsed } from '../harness/postgres/proxy.ts';
import { isSuccess } from './history.ts';
import type { NamedToken } from './recorder.ts';
import type { Scene } from './scene.ts';

const LIMIT = 100;
const PAUSE_MS = 20;
const TOO_MANY_REQUESTS = 429;

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: {
    readonly nextCursor: string | null;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** Requests a page until there is one. Undefined: the run was abandoned first. */
export async function pageOf(
  scene: Scene,
  token: NamedToken,
  path: string,
  params: Readonly<Record<string, string>>,
  givenUp: () => boolean = scene.isAbandoned,
): Promise<Page | undefined> {
  const query = new URLSearchParams({ limit: String(LIMIT), ...params });
  while (!givenUp()) {
    const { attempt, body } = await scene.recorder.request(`${scene.nodeUrl()}${path}?${query}`, token);
    if (isSuccess(attempt.status)) return body as Page;
    await elapsed(PAUSE_MS);
  }
  return undefined;
}

/** Follows the audits from the first one until there are no new ones after the end of the writers. */
export async function tailAudits(scene: Scene, token: NamedToken): Promise<void> {
  const ids: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const last = scene.isOver();
    const params: Record<string, string> = { sort: 'created-ascending' };
    if (cursor !== null) params['cursor'] = cursor;
    const page = await pageOf(scene, token, '/v1/audits', params);
    if (page === undefined) break;
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.pagination.endCursor ?? cursor;
    if (last && page.data.length === 0) break;
    if (page.data.length === 0) await elapsed(PAUSE_MS);
  }
  scene.recorder.tails.push({ workspaceId: token.workspaceId, list: 'audits', ids });
}

/** Follows the audit log towards newer entries, from its first one. Each of its requests adds an entry. */
export async function tailLog(scene: Scene, token: NamedToken): Promise<void> {
  const ids: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const last = scene.isOver();
    const params: Record<string, string> = { direction: 'before' };
    if (cursor !== null) params['cursor'] = cursor;
    const page = await pageOf(scene, token, '/v1/audit-log', params);
    if (page === undefined) break;
    ids.push(...page.data.map(({ id }) => id).toReversed());
    cursor = page.pagination.startCursor ?? cursor;
    if (last && page.data.length < LIMIT) break;
    if (page.data.length < LIMIT) await elapsed(PAUSE_MS);
  }
  scene.recorder.tails.push({ workspaceId: token.workspaceId, list: 'audit-log', ids });
}

/** Reads all audits repeatedly, newest first, and requests their count in between. */
export async function walkAudits(scene: Scene, token: NamedToken): Promise<void> {
  while (scene.isOpen()) {
    const ids: string[] = [];
    const startMs = performance.now();
    let cursor: string | null = null;
    let whole = false;
    while (!whole) {
      const params: Record<string, string> = cursor === null ? {} : { cursor };
      // The readers that follow are given up later, after the walks and the writers have ended.
      const page = await pageOf(scene, token, '/v1/audits', params, scene.isOver);
      if (page === undefined) return;
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.pagination.nextCursor;
      whole = cursor === null;
    }
    scene.recorder.walks.push({ workspaceId: token.workspaceId, startMs, ids });
    const { attempt, body } = await scene.recorder.request(`${scene.nodeUrl()}/v1/audits/count`, token);
    if (!isSuccess(attempt.status)) continue;
    const { count } = body as { readonly count: number };
    scene.recorder.counts.push({
      ...{ workspaceId: token.workspaceId, startMs: attempt.startMs, endMs: attempt.endMs, count },
    });
  }
}

/** Uses up the quota of a workspace, and continues for some time. */
export async function useQuota(scene: Scene, token: NamedToken): Promise<void> {
  let refusals = 0;
  while (scene.isOpen() && refusals < 20) {
    const { attempt } = await scene.recorder.request(`${scene.nodeUrl()}/v1/companies`, token);
    if (attempt.status === TOO_MANY_REQUESTS) refusals++;
    if (!isSuccess(attempt.status)) await elapsed(PAUSE_MS);
  }
}
