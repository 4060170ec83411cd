import { elapsed } from '../harness/postgres/proxy.ts';
import { isSuccess } from './history.ts';
import { pageOf } from './readers.ts';
import type { NamedToken } from './recorder.ts';
import type { Scene } from './scene.ts';

const LIMIT = 100;
const PAUSE_MS = 20;
const GONE = 410;
const COPIED = ['audits', 'content'] as const;

interface Changes {
  readonly data: readonly {
    readonly id: string;
    readonly resource: string;
    readonly recordId: string;
    readonly record: object | null;
  }[];
  readonly pagination: { readonly position: string };
}

/**
 * Takes a position, reads the lists once, and then follows the feed until there are no new changes after the end of the
 * writers. Each change is applied to the copy.
 */
export async function copyRecords(scene: Scene, token: NamedToken): Promise<void> {
  const changes: string[] = [];
  const records = { audits: new Map<string, string>(), content: new Map<string, string>() };
  let expired = false;
  const changesAfter = async (after: string): Promise<Changes | undefined> => {
    const query = new URLSearchParams({ limit: String(LIMIT), after });
    while (!scene.isAbandoned()) {
      const { attempt, body } = await scene.recorder.request(`${scene.nodeUrl()}/v1/changes?${query}`, token);
      if (isSuccess(attempt.status)) return body as Changes;
      expired ||= attempt.status === GONE;
      if (expired) return undefined;
      await elapsed(PAUSE_MS);
    }
    return undefined;
  };

  let position = (await changesAfter('now'))?.pagination.position;
  for (const name of COPIED) {
    let cursor: string | null = null;
    do {
      const page = await pageOf(scene, token, `/v1/${name}`, cursor === null ? {} : { cursor });
      for (const record of page?.data ?? []) records[name].set(record.id, JSON.stringify(record));
      cursor = page?.pagination.nextCursor ?? null;
    } while (cursor !== null);
  }
  while (position !== undefined) {
    const last = scene.isOver();
    const page: Changes | undefined = await changesAfter(position);
    for (const { id, resource, recordId, record } of page?.data ?? []) {
      changes.push(id);
      const copied = COPIED.find((name) => name === resource);
      if (copied === undefined) continue;
      if (record === null) records[copied].delete(recordId);
      else records[copied].set(recordId, JSON.stringify(record));
    }
    position = page?.pagination.position;
    if (page?.data.length === 0) {
      if (last) break;
      await elapsed(PAUSE_MS);
    }
  }
  scene.recorder.copies.push({ workspaceId: token.workspaceId, changes, records, expired });
}
