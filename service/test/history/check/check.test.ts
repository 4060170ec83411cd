import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Attempt, Copy, FinalWorkspace, History, Write, WriteAttempt } from '../history.ts';
import { killAtMigration, PLANTS } from '../plants.ts';
import { checkHistory } from './check.ts';

const workspaceId = 'w';

const attempt = (n: number, fields: Partial<Attempt> = {}): Attempt => ({
  ...{ workspaceId, requestId: `r${n}`, token: 'key', live: true },
  ...{ startMs: n * 10, endMs: n * 10 + 5, status: 200 },
  ...fields,
});

const created = (n: number, id: string, fields: Partial<WriteAttempt> = {}): Write => ({
  ...{ workspaceId, resource: 'audits', kind: 'create', ids: [id], records: 1, dryRun: false },
  attempts: [{ ...attempt(n, { status: 201 }), answeredIds: [id], ...fields }],
});

const entry = (n: number, status: number) => ({
  ...{ id: `log${n}`, kind: 'api.request', requestId: `r${n}`, status, streamed: null },
});

const row = (id: string) => ({ id, doc: JSON.stringify({ id }) });

const workspace: FinalWorkspace = {
  ...{ workspaceId, audits: [row('a'), row('b')], content: [], counted: 2, exactCount: 2 },
  ...{ log: [entry(1, 201), entry(2, 201), entry(3, 200)], liveQuota: null, liveRequests: 3 },
};

const writes = [created(1, 'a'), created(2, 'b')];

const copyOf = (ids: readonly string[], fields: Partial<Copy> = {}): Copy => ({
  ...{ workspaceId, by: 'requests', after: 'chg_0' },
  changes: ['chg_1', 'chg_2'],
  records: { audits: new Map(ids.map((id) => [id, row(id).doc])), content: new Map() },
  expired: false,
  ...fields,
});

const changes = ['chg_1', 'chg_2'].map((id) => ({ id, type: 'audit.created', json: JSON.stringify({ id }) }));

/** Two audits are created, one after the other, and then read. */
const sound: History = {
  ...{ attempts: [...writes.flatMap((write) => write.attempts), attempt(3)], writes },
  counts: [{ workspaceId, startMs: 16, endMs: 19, count: 1 }],
  walks: [{ workspaceId, startMs: 16, ids: ['b', 'a'] }],
  tails: [
    { workspaceId, list: 'audits', ids: ['a', 'b'] },
    { workspaceId, list: 'audit-log', ids: ['log1', 'log2', 'log3'] },
  ],
  copies: [copyOf(['a', 'b'])],
  ...{ feeds: [{ workspaceId, changes }], longPolls: [], streams: [], receivers: [], endedTokens: [] },
  final: [workspace],
};

const ending = (fields: Partial<FinalWorkspace>): Partial<History> => ({
  final: [{ ...workspace, ...fields }],
});
const log = (...rows: FinalWorkspace['log']): Partial<History> =>
  ending({ log: rows, liveRequests: rows.length });
const item = (kind: 'create' | 'patch', n: number, title: string): Write => ({
  ...created(n, 'c'),
  ...{ resource: 'content', kind, title },
});

test('a sound history breaks no promise', () => {
  expect(checkHistory(sound)).toEqual([]);
});

describe('the checker finds', () => {
  test.each<[string, Partial<History>, RegExp]>([
    [
      'an acknowledged record that is missing',
      ending({ audits: [row('a')] }),
      /acknowledged records are missing: b/,
    ],
    [
      'a refused record that is there',
      { writes: [created(1, 'a'), created(2, 'b', { status: 400, answeredIds: [] })] },
      /refused or dry-run records exist: b/,
    ],
    [
      'a dry run that changed something',
      { writes: [created(1, 'a'), { ...created(2, 'b'), dryRun: true }] },
      /refused or dry-run records exist: b/,
    ],
    [
      'a batch that is there in part',
      {
        writes: [
          created(1, 'a'),
          { ...created(2, 'b', { status: undefined, answeredIds: [] }), ids: ['b', 'c'], records: 2 },
        ],
      },
      /a batch is there in part: c/,
    ],
    ['a record that no write explains', { writes: [created(1, 'a')] }, /no write explains: b/],
    [
      'two writes with the same record',
      { writes: [...writes, created(4, 'b')] },
      /two writes were answered with the same ids: b/,
    ],
    [
      'a deleted item that is there',
      {
        writes: [
          ...writes,
          item('create', 3, 'x'),
          { ...created(4, 'c'), resource: 'content', kind: 'delete' },
        ],
        ...ending({ content: [{ ...row('c'), title: 'x' }] }),
      },
      /c was deleted and is there/,
    ],
    [
      'a lost update',
      {
        writes: [...writes, item('create', 3, 'x'), item('patch', 4, 'y')],
        ...ending({ content: [{ ...row('c'), title: 'x' }] }),
      },
      /c has the title "x" instead of y/,
    ],
    [
      'a tail that skips',
      { tails: [{ workspaceId, list: 'audits', ids: ['b'] }] },
      /a tail of audits skips a/,
    ],
    [
      'a tail that repeats',
      { tails: [{ workspaceId, list: 'audits', ids: ['a', 'b', 'b'] }] },
      /a tail of audits repeats 1/,
    ],
    [
      'a tail out of order',
      { tails: [{ workspaceId, list: 'audits', ids: ['b', 'a'] }] },
      /a tail of audits is out of order at a/,
    ],
    [
      'a tail of the log that skips',
      { tails: [{ workspaceId, list: 'audit-log', ids: ['log1', 'log3'] }] },
      /a tail of audit-log skips log2/,
    ],
    ['a copy that lacks a record', { copies: [copyOf(['a'])] }, /a copy of audits lacks b/],
    ['a copy that keeps a record', { copies: [copyOf(['a', 'b', 'c'])] }, /a copy of audits still has c/],
    [
      'a copy with an old record',
      {
        copies: [
          copyOf([], {
            records: {
              audits: new Map([
                ['a', '{}'],
                ['b', row('b').doc],
              ]),
              content: new Map(),
            },
          }),
        ],
      },
      /a copy of audits has an old a/,
    ],
    [
      'a repeated change',
      { copies: [copyOf(['a', 'b'], { changes: ['chg_1', 'chg_1', 'chg_2'] })] },
      /the feed by requests repeats chg_1/,
    ],
    [
      'a skipped change',
      { copies: [copyOf(['a', 'b'], { changes: ['chg_2'] })] },
      /the feed by requests skips chg_1/,
    ],
    [
      'a feed out of order',
      { copies: [copyOf(['a', 'b'], { changes: ['chg_2', 'chg_1'] })] },
      /the feed by requests is out of order at chg_1/,
    ],
    [
      'an expired position',
      { copies: [copyOf(['a', 'b'], { expired: true })] },
      /a position of the feed expired/,
    ],
    ['a walk that skips', { walks: [{ workspaceId, startMs: 30, ids: ['b'] }] }, /a walk skips a/],
    ['a walk that repeats', { walks: [{ workspaceId, startMs: 0, ids: ['a', 'a'] }] }, /a walk repeats 1/],
    [
      'a count that is too small',
      { counts: [{ workspaceId, startMs: 40, endMs: 41, count: 1 }] },
      /a count said 1, not 2 to 2/,
    ],
    ['a counter that is wrong in the end', ending({ counted: 3 }), /its counter says 3/],
    ['a request without an entry', log(entry(1, 201), entry(2, 201)), /r3 was answered 200 and has no entry/],
    [
      'a request with two entries',
      log(entry(1, 201), entry(2, 201), entry(3, 200), { ...entry(3, 200), id: 'log4' }),
      /r3 \(200\) has 2 entries/,
    ],
    ['an entry with another status', log(entry(1, 201), entry(2, 201), entry(3, 404)), /its entry says 404/],
    [
      'an entry of a request that nobody made',
      log(entry(1, 201), entry(2, 201), entry(3, 200), entry(9, 200)),
      /nobody made the request r9/,
    ],
    [
      'an entry of a request that was answered 401',
      { attempts: [...writes.flatMap((write) => write.attempts), attempt(3, { status: 401 })] },
      /r3 \(401\) has 1 entries/,
    ],
    [
      'a token that is let in after its end',
      { endedTokens: [{ token: 'key', confirmedMs: 25 }] },
      /key was let in after its end: r3/,
    ],
    ['a request that the meter does not count', ending({ liveRequests: 2 }), /its meter says 2/],
    ['a quota that is exceeded', ending({ liveQuota: 2 }), /used 3 of a quota of 2/],
    [
      'a refusal before the quota is used up',
      {
        attempts: [...sound.attempts, attempt(4, { status: 429 })],
        ...ending({ liveQuota: 5, log: [...workspace.log, entry(4, 429)] }),
      },
      /was refused at 3 of a quota of 5/,
    ],
  ])('%s', (_fault, changed, violation) => {
    expect(checkHistory({ ...sound, ...changed })).toContainEqual(expect.stringMatching(violation));
  });
});

test.each([...PLANTS, killAtMigration(1)])('the planted fault fits its file: $name', ({ file, replace }) => {
  const source = readFileSync(join(import.meta.dirname, '../../../src', file), 'utf8');
  expect(source.split(replace)).toHaveLength(2);
});
