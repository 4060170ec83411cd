import { describe, expect, test } from 'vitest';
import type { Arrival, History, Receiver, StreamConnection } from '../history.ts';
import { checkLongPolls, checkReceivers, checkStreams } from './events.ts';

const workspaceId = 'w';
const ids = ['chg_1', 'chg_2', 'chg_3'];
const itemOf = (id: string) => JSON.stringify({ id, createdAt: '2026-03-01T09:30:00Z' });
const feeds = [{ workspaceId, changes: ids.map((id) => ({ id, type: 'audit.created', json: itemOf(id) })) }];
const empty: History = {
  ...{ attempts: [], writes: [], counts: [], walks: [], tails: [], copies: [], feeds },
  ...{ longPolls: [], streams: [], receivers: [], endedTokens: [], final: [] },
};

describe('long polls', () => {
  const write = (startMs: number, endMs: number, attempts = 1): History['writes'][number] => ({
    ...{ workspaceId, resource: 'audits', kind: 'create', ids: ['a'], records: 1, dryRun: false },
    attempts: Array.from({ length: attempts }, (_, n) => ({
      ...{ workspaceId, requestId: `r${n}`, token: 'key', live: true, startMs, endMs },
      ...{ status: 201, answeredIds: ['a'] },
    })),
  });
  const found = (writes: History['writes'], isEmpty = true): readonly string[] => {
    const longPolls = [{ workspaceId, requestId: 'p', startMs: 100, endMs: 20_100, empty: isEmpty }];
    return checkLongPolls({ ...empty, writes, longPolls });
  };

  test('one that ends without the change of a write is found', () => {
    expect(found([write(200, 300)])).toEqual([
      'the long poll p ended without changes 19800 ms after r0 had made one',
    ]);
  });

  test.each([
    ['that has changes', [write(200, 300)], false],
    ['whose write may be older', [write(50, 300)], true],
    ['whose write was repeated, so that it may be older', [write(200, 300, 2)], true],
    ['whose write was late', [write(9_000, 9_100)], true],
    ['whose write was a dry run', [{ ...write(200, 300), dryRun: true }], true],
  ])('one %s is sound', (_case, writes, isEmpty) => {
    expect(found(writes, isEmpty)).toEqual([]);
  });
});

describe('streams', () => {
  const connection = (got: readonly string[], end: StreamConnection['end'], n = 1) => ({
    ...{ requestId: `s${n}`, ids: got, end },
  });
  const entry = (streamed: number, n = 1) => ({
    ...{ id: `log${n}`, kind: 'stream.closed', requestId: `s${n}`, status: null, streamed },
  });
  const found = (
    connections: readonly StreamConnection[],
    log: readonly ReturnType<typeof entry>[],
  ): readonly string[] =>
    checkStreams({
      ...empty,
      streams: [{ workspaceId, after: 'chg_0', connections }],
      final: [
        {
          ...{ workspaceId, audits: [], content: [], counted: 0, exactCount: 0, log },
          ...{ liveQuota: null, liveRequests: 0 },
        },
      ],
    });

  test('a reader that resumes is sound', () => {
    const connections = [connection(['chg_1'], 'broken'), connection(['chg_2', 'chg_3'], 'closed', 2)];
    expect(found(connections, [entry(2, 2)])).toEqual([]);
    expect(found(connections, [entry(2), entry(2, 2)])).toEqual([]);
  });

  test.each<[string, readonly StreamConnection[], readonly ReturnType<typeof entry>[], string]>([
    [
      'a change that is skipped',
      [connection(['chg_1', 'chg_3'], 'closed')],
      [entry(2)],
      'a stream skips chg_2',
    ],
    [
      'a change that is repeated',
      [connection(['chg_1'], 'broken', 2), connection(ids, 'closed')],
      [entry(3)],
      'a stream repeats chg_1',
    ],
    [
      'changes out of order',
      [connection(['chg_2', 'chg_1', 'chg_3'], 'closed')],
      [entry(3)],
      'a stream is out of order at chg_1',
    ],
    ['an end without an entry', [connection(ids, 'complete')], [], 'the stream s1 has no entry of its end'],
    [
      'an end with two entries',
      [connection(ids, 'closed')],
      [entry(3), entry(3)],
      'the stream s1 has more than one entry of its end',
    ],
    [
      'an entry with another number',
      [connection(ids, 'closed')],
      [entry(2)],
      'the stream s1 sent 3 changes; its entry says 2',
    ],
  ])('%s is found', (_fault, connections, log, violation) => {
    expect(found(connections, log)).toEqual([violation]);
  });
});

describe('webhooks', () => {
  const bodyOf = (id: string) =>
    `{"type":"audit.created","timestamp":"2026-03-01T09:30:00Z","data":${itemOf(id)}}`;
  const arrival = (id: string, fields: Partial<Arrival> = {}): Arrival => ({
    ...{ id, body: bodyOf(id), signed: true, accepted: true },
    ...fields,
  });
  const found = (arrivals: readonly Arrival[], fields: Partial<Receiver> = {}): readonly string[] => {
    const receiver = { workspaceId, name: 'x', ordered: true, types: null, after: 'chg_0', arrivals };
    return checkReceivers({ ...empty, receivers: [{ ...receiver, ...fields }] });
  };
  const [first, second, third] = ids.map((id) => arrival(id)) as [Arrival, Arrival, Arrival];

  test('arrivals in order with repeats, and of an unordered endpoint in any order, are sound', () => {
    expect(found([arrival('chg_1', { accepted: false }), first, second, first, second, third])).toEqual([]);
    expect(found([third, first, second], { ordered: false })).toEqual([]);
    expect(found([], { types: ['content.created'] })).toEqual([]);
    expect(found([third], { after: 'chg_2' })).toEqual([]);
  });

  test.each<[string, readonly Arrival[], string]>([
    ['a change that is lost', [first, second], 'the endpoint "x" never got chg_3'],
    [
      'a change that is never accepted',
      [first, second, arrival('chg_3', { accepted: false })],
      'the endpoint "x" never got chg_3',
    ],
    [
      'an invalid signature',
      [first, arrival('chg_2', { signed: false }), third],
      'the endpoint "x" got an invalid signature of chg_2',
    ],
    [
      'a repeat with another id',
      [first, arrival('chg_9', { body: bodyOf('chg_1') }), second, third],
      'the endpoint "x" got ids of no change that it wants: chg_9',
    ],
    [
      'a repeat with other bytes',
      [first, arrival('chg_1', { body: `${bodyOf('chg_1')} ` }), second, third],
      'the endpoint "x" got repeats with other bytes: chg_1',
    ],
    [
      'other content',
      [first, arrival('chg_2', { body: bodyOf('chg_1') }), third],
      'the endpoint "x" got other content than the feed has: chg_2',
    ],
    [
      'another order',
      [first, third, second],
      'the endpoint "x" got changes before it had accepted the one before: chg_3',
    ],
    [
      'a change that a failing one does not hold back',
      [arrival('chg_1', { accepted: false }), second, first, third],
      'the endpoint "x" got changes before it had accepted the one before: chg_2',
    ],
  ])('%s is found', (_fault, arrivals, violation) => {
    expect(found(arrivals)).toEqual([violation]);
  });
});
