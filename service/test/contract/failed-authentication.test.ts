import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { statementsOf } from '../harness/database.ts';
import { createTestService, TEST_ACTOR, type TestService } from '../harness/service.ts';

const LIMIT = 60;
const MODES = ['live', 'test'] as const;

const first = await createTestService();
const workspaceId = await first.workspace();

const newNode = (): Promise<TestService> =>
  createTestService({ database: first.database, failedAuthPerMinute: LIMIT });
const badToken = (): string => `svc_live_${randomBytes(24).toString('base64url')}`;
const ask = (node: TestService, token: string) => node.request(token, '/v1/audits');

async function failUntilLimited(node: TestService): Promise<void> {
  for (let i = 0; i < LIMIT; i++) expectFailure(await ask(node, 'malformed'), 'invalid_key');
  expectFailure(await ask(node, 'malformed'), 'rate_limited');
}

/** The number of look-ups of keys in the database while `work` runs. */
async function lookUps(work: () => Promise<void>): Promise<number> {
  return (await statementsOf(work)).filter((statement) => statement.includes('"find_key"')).length;
}

test('failed authentications of an address are limited, with tokens of any shape', async () => {
  const node = await newNode();
  await failUntilLimited(node);
  const answer = await ask(node, 'malformed');
  expect(answer.headers['retry-after']).toBe('60');
  expectFailure(await node.request(null, '/v1/audits'), 'invalid_key');
  expect((await node.request(badToken(), '/v1/audits', { remoteAddress: '192.0.2.7' })).status).toBe(401);
  node.clock.now += 60_000;
  expectFailure(await ask(node, 'malformed'), 'invalid_key');
});

test.each(MODES)(
  'a %s key that was valid before is still accepted, also long after its look-up',
  async (mode) => {
    const node = await newNode();
    const token = await node.token(workspaceId, { mode });
    expect((await ask(node, token)).status).toBe(200);
    for (const laterMs of [0, 29_000, 31_000, 3_600_000]) {
      node.clock.now += laterMs;
      await failUntilLimited(node);
      // All look-ups that unknown tokens may have are used up.
      for (let i = 0; i < LIMIT; i++) await ask(node, badToken());
      for (let i = 0; i < 3; i++) expect((await ask(node, token)).status).toBe(200);
      node.clock.now += 60_000;
    }
  },
);

test.each(MODES)(
  'a %s key that this process has never seen is accepted soon, while wrong tokens continue',
  async (mode) => {
    const node = await newNode();
    const token = await first.token(workspaceId, { mode });
    await failUntilLimited(node);
    // Two wrong tokens per second from the same address, twice the limit.
    const statuses: number[] = [];
    for (let second = 0; second < 20 && statuses.at(-1) !== 200; second++) {
      node.clock.now += 500;
      await ask(node, badToken());
      node.clock.now += 500;
      const answer = await ask(node, token);
      statuses.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(2);
      await ask(node, badToken());
    }
    expect(statuses.at(-1)).toBe(200);
    // From now on it is known.
    for (let i = 0; i < LIMIT; i++) await ask(node, badToken());
    expect((await ask(node, token)).status).toBe(200);
  },
);

test('one wrong token that is repeated uses only one look-up', async () => {
  const node = await newNode();
  const token = await first.token(workspaceId);
  await failUntilLimited(node);
  const wrong = badToken();
  const made = await lookUps(async () => {
    for (let i = 0; i < 100; i++) expectFailure(await ask(node, wrong), 'rate_limited');
  });
  expect(made).toBe(1);
  expect((await ask(node, token)).status).toBe(200);
});

test('different wrong tokens get at most as many additional look-ups as failures are allowed', async () => {
  const node = await newNode();
  await failUntilLimited(node);
  const made = await lookUps(async () => {
    for (let second = 0; second < 59; second++) {
      for (let i = 0; i < 20; i++) expectFailure(await ask(node, badToken()), 'rate_limited');
      node.clock.now += 1_000;
    }
  });
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThanOrEqual(LIMIT);
});

test('the response to a revoked key, seen before or not, equals the response to an unknown key', async () => {
  const node = await newNode();
  const issued = await Promise.all(MODES.map((mode) => first.issue(workspaceId, { mode })));
  for (const { token } of issued) expect((await ask(node, token)).status).toBe(200);
  const neverSeen = await first.issue(workspaceId);
  for (const { keyId } of [...issued, neverSeen]) await first.keys.revoke(workspaceId, keyId, TEST_ACTOR);
  node.clock.now += 31_000;
  await failUntilLimited(node);
  const tokens = [...issued.map(({ token }) => token), neverSeen.token, badToken(), badToken()];
  const answers: { readonly status: number; readonly text: string; readonly others: object }[] = [];
  for (const token of tokens) {
    const { status, text, headers } = await ask(node, token);
    const { 'request-id': _, date: __, 'retry-after': ___, ...others } = headers;
    answers.push({ status, text, others });
  }
  expect(answers).toEqual(tokens.map(() => answers.at(-1)));
  expect(answers[0]?.status).toBe(429);
});
