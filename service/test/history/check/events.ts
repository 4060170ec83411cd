import {
  type Arrival,
  type FeedChange,
  type History,
  isSuccess,
  type Receiver,
  type StreamReader,
  type Write,
  wantedBy,
} from '../history.ts';
import { feedOf, finalOf, sequenceFaults, some } from './sequence.ts';

/**
 * A long poll may miss a signal, but not longer than this: the service also looks at the database every three seconds. In
 * between, PostgreSQL may be killed and start again.
 */
const UNNOTICED_MS = 12_000;

/** A long poll ends without changes only if there were none. */
export function checkLongPolls(history: History): readonly string[] {
  // A write with one attempt was committed while it ran.
  const written = history.writes.flatMap(({ workspaceId, dryRun, attempts }: Write) => {
    const [only, repeat] = attempts;
    const isKnown = only !== undefined && repeat === undefined && isSuccess(only.status) && !dryRun;
    return isKnown ? [{ ...only, workspaceId }] : [];
  });
  return history.longPolls.flatMap(({ workspaceId, requestId, startMs, endMs, empty }) => {
    const missed = written.find(
      (write) =>
        write.workspaceId === workspaceId && write.startMs > startMs && write.endMs < endMs - UNNOTICED_MS,
    );
    if (!empty || missed === undefined) return [];
    const lateMs = Math.round(endMs - missed.endMs);
    return [
      `the long poll ${requestId} ended without changes ${lateMs} ms after ${missed.requestId} had made one`,
    ];
  });
}

/** A reader of the stream gets each change once, in order. A stream that ended normally has an entry of its end. */
export function checkStreams(history: History): readonly string[] {
  return history.streams.flatMap((reader) => {
    const wanted = wantedBy({ types: null, after: reader.after }, feedOf(history, reader.workspaceId));
    const got = reader.connections.flatMap(({ ids }) => ids);
    return [...sequenceFaults('a stream', got, wanted), ...endFaults(history, reader)];
  });
}

function endFaults(history: History, { workspaceId, connections }: StreamReader): readonly string[] {
  const closed = finalOf(history, workspaceId).log.filter(({ kind }) => kind === 'stream.closed');
  return connections.flatMap(({ requestId, ids, end }) => {
    const [entry, second] = closed.filter((each) => each.requestId === requestId);
    if (second !== undefined) return [`the stream ${requestId} has more than one entry of its end`];
    if (entry === undefined)
      return end === 'broken' ? [] : [`the stream ${requestId} has no entry of its end`];
    const { streamed } = entry;
    const isPossible = end === 'broken' ? (streamed ?? 0) >= ids.length : streamed === ids.length;
    return isPossible
      ? []
      : [`the stream ${requestId} sent ${ids.length} changes; its entry says ${streamed}`];
  });
}

/**
 * A receiver accepts every change that its endpoint wants, and nothing else, signed and as the feed has it. A repeat has
 * the same id and the same bytes. To an ordered endpoint, a change is sent only when the one before it was accepted.
 */
export function checkReceivers(history: History): readonly string[] {
  return history.receivers.flatMap((receiver) => {
    const { arrivals, ordered } = receiver;
    const name = `the endpoint "${receiver.name}"`;
    const wanted = wantedBy(receiver, feedOf(history, receiver.workspaceId));
    const accepted = new Set(arrivals.filter((arrival) => arrival.accepted).map(({ id }) => id));
    const lost = wanted.filter(({ id }) => !accepted.has(id)).map(({ id }) => id);
    const unsigned = arrivals.filter(({ signed }) => !signed).map(({ id }) => id);
    return [
      ...(lost.length > 0 ? [`${name} never got ${some(lost)}`] : []),
      ...(unsigned.length > 0 ? [`${name} got an invalid signature of ${some(unsigned)}`] : []),
      ...contentFaults(name, arrivals, wanted),
      ...(ordered ? orderFaults(name, arrivals, wanted) : []),
    ];
  });
}

function contentFaults(
  name: string,
  arrivals: readonly Arrival[],
  wanted: readonly FeedChange[],
): readonly string[] {
  const changes = new Map(wanted.map((change) => [change.id, change]));
  const bodies = new Map<string, string>();
  const [unknown, different, changed]: string[][] = [[], [], []];
  for (const { id, body } of arrivals) {
    const change = changes.get(id);
    const first = bodies.get(id);
    if (first === undefined) bodies.set(id, body);
    else if (first !== body) changed?.push(id);
    if (change === undefined) unknown?.push(id);
    else if (first === undefined && !isContentOf(body, change)) different?.push(id);
  }
  return [
    ...(unknown?.length ? [`${name} got ids of no change that it wants: ${some(unknown)}`] : []),
    ...(different?.length ? [`${name} got other content than the feed has: ${some(different)}`] : []),
    ...(changed?.length ? [`${name} got repeats with other bytes: ${some(changed)}`] : []),
  ];
}

function isContentOf(body: string, { type, json }: FeedChange): boolean {
  const event = JSON.parse(body) as { type: string; timestamp: string; data: { createdAt: string } };
  return (
    event.type === type && JSON.stringify(event.data) === json && event.timestamp === event.data.createdAt
  );
}

function orderFaults(
  name: string,
  arrivals: Receiver['arrivals'],
  wanted: readonly FeedChange[],
): readonly string[] {
  const before = new Map(wanted.map(({ id }, i) => [id, wanted[i - 1]?.id]));
  const accepted = new Set<string>();
  const early: string[] = [];
  for (const arrival of arrivals) {
    const previous = before.get(arrival.id);
    if (previous !== undefined && !accepted.has(previous)) early.push(arrival.id);
    if (arrival.accepted) accepted.add(arrival.id);
  }
  return early.length > 0
    ? [`${name} got changes before it had accepted the one before: ${some(early)}`]
    : [];
}
