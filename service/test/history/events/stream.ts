import { elapsed } from '../../harness/postgres/proxy.ts';
import { type EventStream, openStream } from '../../waiting/event-stream.ts';
import type { StreamConnection } from '../history.ts';
import type { NamedToken } from '../recorder.ts';
import type { Scene } from '../scene.ts';

const PAUSE_MS = 20;
/** How long a reader waits before it connects again, as browsers do. Meanwhile there are changes. */
const RECONNECT_MS = 200;
const OK = 200;

/**
 * Reads the stream of changes after a position until the last change, first at this node. When a connection has ended, it
 * connects to another node with the same URL and the id of its last event.
 */
export async function readStream(
  scene: Scene,
  token: NamedToken,
  after: string,
  first: string,
): Promise<void> {
  const { workspaceId } = token;
  const connections: StreamConnection[] = [];
  let node = first;
  let lastId = after;
  const isDone = (id: string): boolean => {
    const feed = scene.recorder.feeds.find((each) => each.workspaceId === workspaceId);
    return scene.isAbandoned() || (feed !== undefined && id >= (feed.changes.at(-1)?.id ?? ''));
  };
  while (!isDone(lastId)) {
    const begun = scene.recorder.begin(token);
    const headers = {
      'request-id': begun.requestId,
      ...(lastId === after ? {} : { 'last-event-id': lastId }),
    };
    const url = `${node}/v1/changes/stream?after=${after}`;
    node = scene.otherNode(node);
    const stream = await openStream(url, token.token, headers).catch(() => undefined);
    begun.end(stream?.status);
    if (stream?.status !== OK) {
      stream?.close();
      await elapsed(PAUSE_MS);
      continue;
    }
    const idNow = (): string => stream.events.findLast(({ id }) => id !== undefined)?.id ?? lastId;
    const ended = stream.ended.then(() => true);
    let hasEnded = false;
    while (!hasEnded && !isDone(idNow()))
      hasEnded = await Promise.race([ended, elapsed(PAUSE_MS).then(() => false)]);
    stream.close();
    lastId = idNow();
    const ids = stream.events.flatMap(({ id, data, event }) =>
      data !== '' && event !== 'error' && id !== undefined ? [id] : [],
    );
    if (hasEnded) await elapsed(RECONNECT_MS);
    connections.push({ requestId: begun.requestId, ids, end: endOf(stream, hasEnded) });
  }
  scene.recorder.streams.push({ workspaceId, after, connections });
}

function endOf({ response, events }: EventStream, hasEnded: boolean): StreamConnection['end'] {
  if (!hasEnded) return 'closed';
  return response.complete && events.at(-1)?.event !== 'error' ? 'complete' : 'broken';
}
