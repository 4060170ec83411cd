import { BusyError } from '@svc/turns';
import { describe, expect, test } from 'vitest';
import type { AuditedRequest, Outcome } from '../audit-log/audited-request.ts';
import { refusalOf, toApiError } from '../http/failures.ts';
import { throwFromPeer, throwToPeer } from './peer-failures.ts';
import { createRemoteWriter } from './remote-writer.ts';

const RECORDED: Outcome = { result: 'recorded', quota: null };
const LIMITS = { entries: 8, bytes: 1_000_000 };

const entry = (workspaceId: string, path = '/v1/audits'): AuditedRequest => ({
  ...{ workspaceId, keyId: 'key', tokenVersion: 1, counted: true, failed: false, durationMs: 1 },
  entry: { kind: 'api.request', keyId: 'key', actor: null, path },
});

/** A writer, and the calls that it has sent. */
function writerWith(limits = LIMITS) {
  const sent: { readonly answer: (outcome: Outcome) => void; readonly fail: (error: Error) => void }[] = [];
  const writer = createRemoteWriter(() => {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    sent.push({ answer: resolve, fail: reject });
    return promise;
  }, limits);
  /** Appends entries, and returns how many were refused at once. */
  const refused = async (workspaceId: string, count: number, path?: string): Promise<number> => {
    const before = sent.length;
    const appended = Array.from({ length: count }, () => writer.append(entry(workspaceId, path)));
    const accepted = sent.length - before;
    for (const each of appended.slice(accepted)) await expect(each).rejects.toBeInstanceOf(BusyError);
    return count - accepted;
  };
  return { writer, sent, refused };
}

describe('entries that another process writes', () => {
  test('get its outcomes and its failures', async () => {
    const { writer, sent } = writerWith();
    const [first, second] = [writer.append(entry('a')), writer.append(entry('a'))];
    sent[1]?.fail(new Error('the other process is gone'));
    sent[0]?.answer(RECORDED);
    await expect(first).resolves.toEqual(RECORDED);
    await expect(second).rejects.toThrow('the other process is gone');
  });

  test.each([
    ['busy', new BusyError('too many wait'), 'busy'],
    ['without a session', new Error('Connection terminated'), 'database'],
    ['in a fault of the program', new TypeError('no'), undefined],
  ])('say whether the database was the cause, if the other process was %s', (_, error, reason) => {
    const thrownBy = (work: () => never): unknown => {
      try {
        return work();
      } catch (thrown) {
        return thrown;
      }
    };
    const { message, code } = Object(thrownBy(() => throwToPeer(error)));
    const received = thrownBy(() => throwFromPeer(Object.assign(new Error(message), { code })));
    const failure = toApiError(received);
    expect(failure && refusalOf(failure, received)).toBe(reason);
  });

  test('are refused beyond the limit, and beyond half of it for one workspace, until others have outcomes', async () => {
    const { sent, refused } = writerWith();
    expect([await refused('a', 10), await refused('b', 10), await refused('c', 1)]).toEqual([6, 6, 1]);
    sent[0]?.answer(RECORDED);
    await new Promise(setImmediate);
    expect([await refused('b', 1), await refused('a', 1), await refused('a', 1)]).toEqual([1, 0, 1]);
  });

  test('are refused beyond the bytes, and beyond half of them for one workspace', async () => {
    const { refused } = writerWith({ entries: 1_000, bytes: 8_000 });
    const long = 'x'.repeat(1_500);
    expect([await refused('a', 3, long), await refused('b', 3, long), await refused('c', 3, long)]).toEqual([
      2, 2, 2,
    ]);
  });

  test('are awaited when the writer is drained', async () => {
    const { writer, sent } = writerWith();
    const outcome = writer.append(entry('a'));
    let drained = false;
    const draining = writer.drain().then(() => {
      drained = true;
    });
    await new Promise(setImmediate);
    expect(drained).toBe(false);
    sent[0]?.answer(RECORDED);
    await Promise.all([outcome, draining]);
  });
});
