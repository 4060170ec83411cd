import { elapsed } from '../harness/postgres/proxy.ts';
import { type Attempt, type Copy, isSuccess } from './history.ts';
import type { Random } from './random.ts';
import { pageOf } from './readers.ts';
import type { NamedToken } from './recorder.ts';
import type { Scene } from './scene.ts';

const LIMIT = 100;
const PAUSE_MS = 20;
const GONE = 410;
const COPIED = ['audits', 'content'] as const;
/** How long a long poll waits for a change, and when its client gives up. */
const WAIT_SECONDS = 20;
const TIMEOUT_MS = 25_000;
/** One of so many long polls is given up early, by a client that ends. */
const ENDS = { chance: 0.1, least: 10, most: 500 } as const;

/** An item of `GET /v1/changes`. */
interface ChangeItem {
  readonly id: string;
  readonly resource: string;
  readonly recordId: string;
  readonly record: object | null;
}

interface Changes {
  readonly data: readonly ChangeItem[];
  readonly pagination: { readonly position: string };
}

/** The JSON of records of a copy, by id. */
export type CopiedRecords = Record<(typeof COPIED)[number], Map<string, string>>;

export const noRecords = (): CopiedRecords => ({ audits: new Map(), content: new Map() });

/** Does to a copy what a change did to its source. */
export function applyChange(records: CopiedRecords, { resource, recordId, record }: ChangeItem): void {
  const copied = COPIED.find((name) => name === resource);
  if (copied === undefined) return;
  if (record === null) records[copied].delete(recordId);
  else records[copied].set(recordId, JSON.stringify(record));
}

interface Follower {
  readonly by: string;
  /** Requests the changes after a position. */
  readonly request: (after: string) => Promise<{ readonly attempt: Attempt; readonly body: unknown }>;
}

/** Maintains a copy by requests at all nodes in turn. */
export const copyRecords = (scene: Scene, token: NamedToken): Promise<void> =>
  follow(scene, token, {
    by: 'requests',
    request: (after) => scene.recorder.request(`${scene.nodeUrl()}${pathOf(after)}`, token),
  });

/** Maintains a copy by long polls at one node, and goes on at another one when a request has failed. */
export function copyByLongPolls(scene: Scene, token: NamedToken, random: Random): Promise<void> {
  let node = scene.nodeUrl();
  const request: Follower['request'] = async (after) => {
    const wait = scene.isOver() || after === 'now' ? 0 : WAIT_SECONDS;
    const isGivenUp = wait > 0 && random.next() < ENDS.chance;
    const answer = await scene.recorder.request(`${node}${pathOf(after)}&wait=${wait}`, token, {
      timeoutMs: isGivenUp ? random.integer(ENDS.least, ENDS.most) : TIMEOUT_MS,
      ...(wait > 0 ? { signal: scene.over } : {}),
    });
    const { workspaceId, requestId, startMs, endMs, status } = answer.attempt;
    if (!isSuccess(status)) node = scene.otherNode(node);
    if (wait > 0 && (status === undefined || isSuccess(status))) {
      const empty = status === undefined || (answer.body as Changes).data.length === 0;
      scene.recorder.longPolls.push({ workspaceId, requestId, startMs, endMs, empty });
    }
    return answer;
  };
  return follow(scene, token, { by: 'long polls', request });
}

const pathOf = (after: string): string =>
  `/v1/changes?${new URLSearchParams({ limit: String(LIMIT), after })}`;

/**
 * Takes a position, reads the lists once, and then follows the feed until there are no new changes after the end of the
 * writers. Each change is applied to the copy. After a failure it continues at its position.
 */
async function follow(scene: Scene, token: NamedToken, { by, request }: Follower): Promise<void> {
  const changes: string[] = [];
  const records = noRecords();
  let expired = false;
  const changesAfter = async (after: string): Promise<Changes | undefined> => {
    while (!scene.isAbandoned()) {
      const { attempt, body } = await request(after);
      if (isSuccess(attempt.status)) return body as Changes;
      expired ||= attempt.status === GONE;
      if (expired) return undefined;
      await elapsed(PAUSE_MS);
    }
    return undefined;
  };

  const after = (await changesAfter('now'))?.pagination.position;
  for (const name of COPIED) {
    let cursor: string | null = null;
    do {
      const page = await pageOf(scene, token, `/v1/${name}`, cursor === null ? {} : { cursor });
      for (const record of page?.data ?? []) records[name].set(record.id, JSON.stringify(record));
      cursor = page?.pagination.nextCursor ?? null;
    } while (cursor !== null);
  }
  for (let position = after; position !== undefined; ) {
    const last = scene.isOver();
    const page: Changes | undefined = await changesAfter(position);
    for (const change of page?.data ?? []) {
      changes.push(change.id);
      applyChange(records, change);
    }
    position = page?.pagination.position;
    if (page?.data.length === 0) {
      if (last) break;
      await elapsed(PAUSE_MS);
    }
  }
  const copy: Copy = { workspaceId: token.workspaceId, by, after: after ?? '', changes, records, expired };
  scene.recorder.copies.push(copy);
}
