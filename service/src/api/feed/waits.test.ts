import { WAITS_PER_KEY_MAX } from '@svc/sdk/contract';
import { expect, test } from 'vitest';
import { WAITS_MAX, WAITS_PER_WORKSPACE_MAX } from '../../config/limits.ts';
import { ApiError } from '../../http/errors.ts';
import type { AuthenticatedKey } from '../../keys/authenticate.ts';
import { createWaits, type WaitOptions, type Waits } from './waits.ts';

const LONG_MS = 3_600_000;

const keyOf = (workspaceId: string, keyId: string): AuthenticatedKey => ({
  workspaceId,
  keyId,
  mode: 'live',
  access: 'read',
  companyId: null,
  tokenVersion: 1,
  burstLimit: null,
  allowsAddress: null,
});
const ADDRESS = '192.0.2.1';
const KEY = keyOf('wks_1', 'key_1');
const VALID = { expiresInMs: null, allowsAddress: null, validity: { keysVersion: 1, expiresAt: null } };

/** Waits whose signals the test gives. */
function world(confirm: WaitOptions['confirm'] = async () => VALID) {
  const watchers = new Set<{ readonly onChange: () => void; readonly onKeys: () => void }>();
  const waits = createWaits({
    signals: {
      watch: (_, watcher) => {
        watchers.add(watcher);
        return () => void watchers.delete(watcher);
      },
    },
    confirm,
  });
  return {
    waits,
    watchers,
    change: () => watchers.forEach(({ onChange }) => void onChange()),
    keys: () => watchers.forEach(({ onKeys }) => void onKeys()),
  };
}

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
};
const fill = (waits: Waits, keys: readonly AuthenticatedKey[], each: number) =>
  keys.flatMap((key) => Array.from({ length: each }, () => waits.open(key, ADDRESS)));

test('a change wakes a wait, also one that came before the call', async () => {
  const { waits, change } = world();
  const wait = waits.open(KEY, ADDRESS);
  const woken = wait.next(LONG_MS);
  change();
  expect(await woken).toBe('changes');
  change();
  expect(await wait.next(LONG_MS)).toBe('changes');
  expect(await wait.next(1)).toBe('late');
  wait.end();
  expect(wait.over).toBe(true);
});

test('the end of a wait resolves its call, and nothing is watched any more', async () => {
  const { waits, watchers } = world();
  const wait = waits.open(KEY, ADDRESS);
  const woken = wait.next(LONG_MS);
  wait.end();
  expect(await woken).toBe('ended');
  expect(watchers.size).toBe(0);
});

test('a revoked key ends its waits with 401, and one statement asks for all of them', async () => {
  let valid = true;
  let asked = 0;
  const { waits, keys } = world(async () => {
    asked += 1;
    return valid ? VALID : undefined;
  });
  const all = fill(waits, [KEY], WAITS_PER_KEY_MAX);
  const woken = all.map((wait) => wait.next(LONG_MS).catch((error) => error.code));
  keys();
  await expect.poll(() => asked).toBe(1);
  valid = false;
  keys();
  expect(new Set(await Promise.all(woken))).toEqual(new Set(['invalid_key']));
  expect(asked).toBe(2);
  expect(all.every(({ over }) => over)).toBe(true);
});

test('a wait has the validity of its key that was last confirmed', async () => {
  let keysVersion = 1;
  const { waits, keys } = world(async () => ({ ...VALID, validity: { keysVersion, expiresAt: null } }));
  const wait = waits.open(KEY, ADDRESS);
  await wait.confirm();
  expect(wait.key).toEqual({ ...KEY, validity: { keysVersion, expiresAt: null } });
  keysVersion = 2;
  keys();
  await expect.poll(() => wait.key.validity?.keysVersion).toBe(2);
  wait.end();
});

test('a key that expires ends its waits when the database says that it has', async () => {
  const answers = [{ ...VALID, expiresInMs: 30 }, { ...VALID, expiresInMs: 5 }, undefined];
  let asked = 0;
  const { waits } = world(async () => answers[asked++]);
  const wait = waits.open(KEY, ADDRESS);
  await wait.confirm();
  await expect(wait.next(LONG_MS)).rejects.toMatchObject({ code: 'invalid_key' });
  expect(asked).toBe(3);
  expect(wait.over).toBe(true);
});

test('a wait that has ended no longer asks whether its key has expired', async () => {
  let asked = 0;
  const { waits } = world(async () => {
    asked += 1;
    return { ...VALID, expiresInMs: 1 };
  });
  const [ended, open] = [waits.open(KEY, ADDRESS), waits.open(keyOf('wks_1', 'key_2'), ADDRESS)];
  await ended.confirm();
  ended.end();
  const before = asked;
  await open.confirm();
  await expect.poll(() => asked).toBeGreaterThan(before + 1);
  open.end();
  // A question that it has asked already reaches the database in this turn.
  await new Promise((resolve) => setImmediate(resolve));
  const after = asked;
  await open.next(20);
  expect(asked).toBe(after);
});

test('a key that cannot be confirmed ends its waits', async () => {
  const { waits, keys } = world(async () => {
    throw new Error('away');
  });
  const woken = waits.open(KEY, ADDRESS).next(LONG_MS);
  keys();
  await expect(woken).rejects.toThrow('away');
});

test('the end of the process ends all waits, and those that are opened later', async () => {
  const { waits } = world();
  let over = 0;
  const woken = waits.open(KEY, ADDRESS, () => over++).next(LONG_MS);
  waits.close();
  expect(await woken).toBe('ended');
  expect(over).toBe(1);
  expect(await waits.open(KEY, ADDRESS).next(LONG_MS)).toBe('ended');
});

test('a key, a workspace and a process have a limited number of waits, and an ended wait frees its place', () => {
  const { waits } = world();
  const own = fill(waits, [KEY], WAITS_PER_KEY_MAX);
  expect(codeOf(() => waits.open(KEY, ADDRESS))).toBe('rate_limited');
  const keysOf = (workspaceId: string, from: number) =>
    Array.from({ length: WAITS_PER_WORKSPACE_MAX / WAITS_PER_KEY_MAX - from }, (_, i) =>
      keyOf(workspaceId, `key_${i + from + 1}`),
    );
  fill(waits, keysOf('wks_1', 1), WAITS_PER_KEY_MAX);
  expect(codeOf(() => waits.open(keyOf('wks_1', 'another'), ADDRESS))).toBe('rate_limited');
  for (let i = 2; i <= WAITS_MAX / WAITS_PER_WORKSPACE_MAX; i++)
    fill(waits, keysOf(`wks_${i}`, 0), WAITS_PER_KEY_MAX);
  expect(codeOf(() => waits.open(keyOf('wks_new', 'key'), ADDRESS))).toBe('unavailable');
  own[0]?.end();
  own[0]?.end();
  expect(codeOf(() => waits.open(keyOf('wks_new', 'key'), ADDRESS))).toBe('none');
  expect(codeOf(() => waits.open(keyOf('wks_new', 'key'), ADDRESS))).toBe('unavailable');
});
