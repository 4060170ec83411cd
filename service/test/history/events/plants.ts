import type { Plant } from '../plant.ts';

/** Bugs of long polls, streams and webhooks. */
export const EVENT_PLANTS: readonly Plant[] = [
  {
    name: 'missed wake-up: one long poll of three is never woken',
    file: 'api/feed/long-poll.ts',
    replace: 'const woken = await wait.next(endMs - sinceMs);',
    by: `const woken = Math.random() < 0.3
        ? await delay(endMs - sinceMs, 'late')
        : await wait.next(endMs - sinceMs);`,
    faults: [],
    seconds: 16,
    found: /the long poll .* ended without changes/,
  },
  {
    name: 'skipped resume: a stream that resumes leaves out a change',
    file: 'api/feed/change-stream.ts',
    replace: "requirePosition(workspaceId, start, last ? 'The Last-Event-ID header' : undefined);",
    by: `requirePosition(workspaceId, start, last ? 'The Last-Event-ID header' : undefined);
  if (request.headers['last-event-id']) {
    return (await readChangesAfter(connections, workspaceId, { after: start, limit: 1 })).position;
  }`,
    faults: ['restart the nodes one after the other'],
    found: /a stream skips/,
  },
  {
    name: 'silent end: the end of a stream has no entry',
    file: 'api/feed/change-stream.ts',
    replace: 'if (live) closedStreams.add(',
    by: 'if (!live) closedStreams.add(',
    faults: ['restart the nodes one after the other'],
    found: /has no entry of its end/,
  },
  {
    name: 'early position: an endpoint moves on before its changes are delivered',
    file: 'webhooks/round.ts',
    replace: 'const attempted = await deliver(',
    by: `await recordRound(connections, owner, key, { attempted: [], position: changes.position, disable: undefined, endpoint });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const attempted = await deliver(`,
    faults: ['restart the nodes one after the other'],
    webhooks: true,
    found: /the endpoint ".*" never got/,
  },
  {
    name: 'lost order: an ordered endpoint gets several changes at the same time',
    file: 'webhooks/round.ts',
    replace: 'running.size >= (endpoint.ordered ? 1 : state.concurrency)',
    by: 'running.size >= state.concurrency',
    faults: [],
    webhooks: true,
    found: /the endpoint "ordered.*" got changes before it had accepted the one before/,
  },
  {
    name: 'new id: a repeat has another id',
    file: 'webhooks/attempt.ts',
    replace: 'signatureHeaders({ id, body, nowMs }, secrets)',
    by: "signatureHeaders({ id: delivery.attempts > 0 ? id + 'r' : id, body, nowMs }, secrets)",
    faults: [],
    webhooks: true,
    found: /got ids of no change that it wants/,
  },
  {
    name: 'new bytes: a repeat has other bytes',
    file: 'webhooks/attempt.ts',
    replace: 'const { eventId: id, body } = delivery;',
    by: `const { eventId: id } = delivery;
  const body = delivery.attempts > 0 ? Buffer.concat([delivery.body, Buffer.from(' ')]) : delivery.body;`,
    faults: [],
    webhooks: true,
    found: /got repeats with other bytes/,
  },
  {
    name: 'unsent repeat: what failed once is recorded as delivered',
    file: 'webhooks/attempt.ts',
    replace: 'const isDelivered = status',
    by: 'const isDelivered = delivery.attempts === 0 || status',
    faults: [],
    webhooks: true,
    found: /the endpoint ".*failing" never got/,
  },
];
