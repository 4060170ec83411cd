import { pino } from 'pino';
import { expect, test } from 'vitest';
import { onFileEnd } from '../../test/harness/cleanup.ts';
import { testLanes } from '../../test/harness/database.ts';
import { seedChanges } from '../../test/harness/records.ts';
import { createTestService, TEST_ACTOR } from '../../test/harness/service.ts';
import { SIGNAL_POLL_PAUSE_MS } from '../config/limits.ts';
import { type ChangeSignals, createChangeSignals, localChannel, type SignalChannel } from './signals.ts';

const { database, pool, workspace, issue, keys } = await createTestService();
const lanes = testLanes(database);
/** A channel that loses everything. */
const lossy: SignalChannel = { send: async () => undefined, receive: () => undefined };

function signalsOf(channel: SignalChannel): ChangeSignals {
  const signals = createChangeSignals({
    channel,
    connections: lanes.reads.of('signals'),
    log: pino({ level: 'silent' }),
  });
  onFileEnd(signals.close);
  return signals;
}

/** Counts what a watcher of the workspace is told. */
function watch(signals: ChangeSignals, workspaceId: string) {
  const told = { changes: 0, keys: 0 };
  const end = signals.watch(workspaceId, { onChange: () => told.changes++, onKeys: () => told.keys++ });
  return { told, end };
}

const write = (workspaceId: string) =>
  seedChanges(pool, workspaceId, [
    { type: 'company.deleted', recordId: 'com_1', companyId: 'com_1', doc: null },
  ]);

test('an announcement tells the watchers of the workspace what has changed, and no others', async () => {
  const signals = signalsOf(localChannel());
  const [a, b] = await Promise.all([workspace(), workspace()]);
  const [first, second, other] = [watch(signals, a), watch(signals, a), watch(signals, b)];
  signals.announce(a);
  await expect.poll(() => first.told).toEqual({ changes: 1, keys: 0 });
  signals.announceKeys(a);
  await expect.poll(() => second.told).toEqual({ changes: 2, keys: 1 });
  expect(other.told).toEqual({ changes: 0, keys: 0 });
});

test('if signals are lost, watchers are told of changes and of revoked and rotated keys within seconds', async () => {
  const signals = signalsOf(lossy);
  const workspaces = await Promise.all(Array.from({ length: 3 }, workspace));
  const [a = '', b = '', c = ''] = workspaces;
  const issued = await Promise.all(workspaces.map((each) => issue(each)));
  const watchers = workspaces.map((each) => watch(signals, each));
  const told = () => watchers.map((each) => each.told);
  // The first look tells everybody.
  await expect.poll(told).toEqual(Array(3).fill({ changes: 1, keys: 1 }));
  await write(a);
  const since = performance.now();
  await keys.revoke(b, issued[1]?.keyId ?? '', TEST_ACTOR);
  await keys.rotate(c, issued[2]?.keyId ?? '', TEST_ACTOR);
  await expect.poll(told).toEqual([
    { changes: 2, keys: 1 },
    { changes: 1, keys: 2 },
    { changes: 1, keys: 2 },
  ]);
  expect(performance.now() - since).toBeLessThan(2 * SIGNAL_POLL_PAUSE_MS + 1_000);
});

test('thousands of watchers of one workspace are all told', async () => {
  const signals = signalsOf(lossy);
  const workspaceId = await workspace();
  let told = 0;
  const ends = Array.from({ length: 5_000 }, () =>
    signals.watch(workspaceId, { onChange: () => told++, onKeys: () => undefined }),
  );
  await expect.poll(() => told).toBe(5_000);
  await write(workspaceId);
  await expect.poll(() => told).toBe(10_000);
  for (const end of ends) end();
});
