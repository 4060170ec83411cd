import { expect } from 'vitest';
import type { TestAnswer } from '../harness/service.ts';
import { totpCode } from '../harness/totp.ts';
import { type Ask, cookiesOf, DASHBOARD } from './ask.ts';
import {
  joinToken,
  RECORDED_EMAIL,
  RECORDED_PASSWORD,
  type Recorded,
  type RecordedNow,
  type RecordedPages,
  tokenOf,
} from './recorded.ts';

// Checks of a deployment after its upgrade, compared with the responses of the earlier release.

export interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean };
}

const NEW_PASSWORD = 'the password of somebody new';

/** All keys: live, test, for writing, of one company, rotated, revoked. */
export async function checkKeys(ask: Ask, recorded: Recorded): Promise<void> {
  const companies = (name: keyof Recorded['keys']): Promise<TestAnswer> =>
    ask('/v1/companies', { token: tokenOf(recorded, name) });
  for (const name of ['live', 'test', 'write', 'limited', 'limitedWrite', 'rotated'] as const) {
    if (recorded.keys[name] !== undefined) expect((await companies(name)).status, name).toBe(200);
  }
  for (const name of ['revoked', 'replaced'] as const) {
    if (recorded.keys[name] !== undefined) expect((await companies(name)).status, name).toBe(401);
  }
  expect((await companies('limited')).json<Page>().data).toMatchObject([{ id: 'com_2' }]);
  const body = { companyId: 'com_1', headlineScore: 50, completedAt: '2026-03-01T09:30:00Z' };
  expect((await ask('/v1/audits', { token: tokenOf(recorded, 'test'), body })).status).toBe(403);
}

/** A page of a list, and exactly the following and the preceding one by the cursors that the release has given. */
export async function checkPages(
  ask: Ask,
  token: string,
  { path, first, cursor, next, back }: RecordedPages,
): Promise<void> {
  const dataOf = async (parameter = ''): Promise<Page['data']> =>
    (await ask(`${pageOf(path)}${parameter}`, { token })).json<Page>().data;
  expect(await dataOf()).toEqual(first);
  if (cursor !== undefined) expect(await dataOf(`&cursor=${cursor}`)).toEqual(next);
  if (back !== undefined) expect(await dataOf(`&direction=before&cursor=${back}`)).toEqual(first);
}

/** The first page of a list that was recorded. */
export const pageOf = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}limit=5`;

/** Signs in with the password, then with a code. Resolves with the response to the second step. */
export async function signIn(
  ask: Ask,
  step: 'verify-totp' | 'verify-backup-code',
  code: string,
): Promise<TestAnswer> {
  const first = await ask(`${DASHBOARD}/auth/sign-in/email`, {
    body: { email: RECORDED_EMAIL, password: RECORDED_PASSWORD },
  });
  expect(first.json(), first.text).toMatchObject({ twoFactorRedirect: true });
  const headers = { cookie: cookiesOf(first) };
  return ask(`${DASHBOARD}/auth/two-factor/${step}`, { body: { code }, headers });
}

/** The owner signs in with the authenticator, and with a backup code once. */
export async function checkSecondFactor(ask: Ask, { totpUri, backupCodes }: Recorded): Promise<void> {
  // The step after the present one is accepted too: the release may have used this one.
  const entered = await signIn(ask, 'verify-totp', totpCode(totpUri, 1));
  expect(entered.status, entered.text).toBe(200);
  await checkSession(ask, cookiesOf(entered));
  const [code = ''] = backupCodes;
  expect((await signIn(ask, 'verify-backup-code', code)).status).toBe(200);
  expect((await signIn(ask, 'verify-backup-code', code)).status).toBe(400);
}

/** The cookie is the owner's session. */
export async function checkSession(ask: Ask, cookie: string): Promise<void> {
  const me = await ask(`${DASHBOARD}/me`, { headers: { cookie } });
  expect(me.json()).toMatchObject({ user: { email: RECORDED_EMAIL } });
}

/** A repeat of each write gets the first response, and writes nothing. */
export async function checkRepeats(ask: Ask, recorded: RecordedNow): Promise<void> {
  for (const { path, key, idempotencyKey, body, status, text } of recorded.writes) {
    const headers = { 'idempotency-key': idempotencyKey };
    const again = await ask(path, { token: tokenOf(recorded, key), headers, body });
    const replayed = again.headers['idempotent-replayed'];
    expect({ status: again.status, text: again.text, replayed }).toEqual({ status, text, replayed: 'true' });
  }
  const count = await ask('/v1/audits/count', { token: tokenOf(recorded, 'live') });
  expect(count.json()).toEqual({ count: recorded.audits, approximate: false });
}

/** The other workspaces have as many audits as before, and these mentions. Their cursors are still valid. */
export async function checkOthers(
  ask: Ask,
  { others }: RecordedNow,
  mentions: readonly string[],
): Promise<void> {
  for (const { key, audits, pages } of others) {
    const token = joinToken(key);
    const count = await ask('/v1/audits/count', { token });
    expect(count.json()).toEqual({ count: audits, approximate: false });
    await checkPages(ask, token, pages);
    for (const id of mentions) expect((await ask(`/v1/mentions/${id}`, { token })).status, id).toBe(200);
  }
}

/** The person who was invited opens the link, creates an account and sees the workspace. */
export async function checkInvitation(ask: Ask, { invitation, workspaceId }: RecordedNow): Promise<void> {
  const { token, email } = invitation;
  const offer = await ask(`${DASHBOARD}/invitations/read`, { body: { token } });
  expect(offer.json(), offer.text).toMatchObject({ email, role: 'viewer' });
  const body = { token, name: 'Somebody New', password: NEW_PASSWORD };
  const accepted = await ask(`${DASHBOARD}/invitations/accept`, { body });
  expect(accepted.json(), accepted.text).toMatchObject({ workspaceId });
  const me = await ask(`${DASHBOARD}/me`, { headers: { cookie: cookiesOf(accepted) } });
  expect(me.json()).toMatchObject({ user: { email }, workspaces: [{ id: workspaceId }] });
}
