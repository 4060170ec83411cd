import { totpCode } from '../harness/totp.ts';
import { type Ask, cookiesOf, DASHBOARD, type Question } from './ask.ts';
import {
  RECORDED_EMAIL,
  RECORDED_PASSWORD,
  type RecordedKey,
  type RecordedNow,
  type RecordedPages,
  type RecordedWorkspace,
  type RecordedWrite,
  tokenOf,
} from './recorded.ts';

const COMPANIES = 3;
const AUDITS = 24;
const OTHERS = 6;
const PAGE = 5;
const INVITED = 'invited@example.com';
const LISTS = [
  '/v1/audits',
  '/v1/audits?sort=score-descending',
  '/v1/audits?companyId=com_2',
  '/v1/companies',
  '/v1/mentions',
  '/v1/content?status=draft',
] as const;

interface IssuedKey {
  readonly token: string;
  readonly key: { readonly id: string };
}

interface Page {
  readonly data: readonly unknown[];
  readonly pagination: { readonly nextCursor: string | null; readonly startCursor: string | null };
}

/**
 * Uses a new deployment over its endpoints, like people and programs: an owner created by `svcd bootstrap` signs in,
 * creates keys and an invitation and sets up a second factor; programs write records and read lists. Returns the
 * responses, also those of the owner's other workspaces, which have records already.
 */
export async function fillRelease(
  ask: Ask,
  workspaceId: string,
  otherIds: readonly string[] = [],
): Promise<RecordedNow> {
  const succeed = async (path: string, question?: Question) => {
    const answer = await ask(path, question);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const cookies = new Map<string, string>();
  const dashboard = async <T>(path: string, body: unknown = {}): Promise<T> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const answer = await succeed(`${DASHBOARD}${path}`, { body, headers: { cookie } });
    for (const pair of cookiesOf(answer).split('; ').filter(Boolean)) {
      const [name = '', value = ''] = pair.split(/=(.*)/);
      cookies.set(name, value);
    }
    return answer.json<T>();
  };
  const createKey = (key: Readonly<Record<string, unknown>>, of = workspaceId): Promise<IssuedKey> =>
    dashboard(`/workspaces/${of}/keys`, {
      name: 'test',
      mode: 'live',
      access: 'read',
      companyId: null,
      ...key,
    });
  const keysPath = `/workspaces/${workspaceId}/keys`;

  await dashboard('/auth/sign-in/email', { email: RECORDED_EMAIL, password: RECORDED_PASSWORD });
  const write = await createKey({ access: 'write' });
  for (const [name, data] of Object.entries(records())) {
    await succeed(`/v1/${name}/batch`, { token: write.token, body: { data } });
  }
  const live = await createKey({});
  const testKey = await createKey({ mode: 'test' });
  const limited = await createKey({ companyId: 'com_2' });
  const limitedWrite = await createKey({ access: 'write', companyId: 'com_2' });
  const replaced = await createKey({});
  const rotated = await dashboard<IssuedKey>(`${keysPath}/${replaced.key.id}/rotate`);
  const revoked = await createKey({});
  await dashboard(`${keysPath}/${revoked.key.id}/revoke`);
  const keys = {
    live: splitToken(live),
    write: splitToken(write),
    test: splitToken(testKey),
    limited: splitToken(limited),
    limitedWrite: splitToken(limitedWrite),
    rotated: splitToken(rotated),
    replaced: splitToken(replaced),
    revoked: splitToken(revoked),
  };
  const writes: RecordedWrite[] = [];
  for (const { path, key, idempotencyKey, body } of WRITES) {
    const question = { token: tokenOf({ keys }, key), headers: { 'idempotency-key': idempotencyKey }, body };
    const { status, text } = await succeed(path, question);
    writes.push({ path, key, idempotencyKey, body, status, text });
  }
  const readWith = ({ token }: IssuedKey) => ({
    pages: (path: string) => readPages(path, async (page) => (await succeed(page, { token })).json<Page>()),
    audits: async () => (await succeed('/v1/audits/count', { token })).json<{ count: number }>().count,
  });
  const reader = readWith(live);
  const pages: RecordedPages[] = [];
  for (const path of LISTS) pages.push(await reader.pages(path));
  const others: RecordedWorkspace[] = [];
  for (const id of otherIds) {
    const key = await createKey({ access: 'write' }, id);
    const { audits, pages } = readWith(key);
    others.push({ key: splitToken(key), audits: await audits(), pages: await pages('/v1/audits') });
  }
  const { link } = await dashboard<{ link: string }>(`/workspaces/${workspaceId}/invitations`, {
    email: INVITED,
    role: 'viewer',
  });
  const factor = await dashboard<{ totpURI: string; backupCodes: string[] }>('/auth/two-factor/enable', {
    password: RECORDED_PASSWORD,
  });
  await dashboard('/auth/two-factor/verify-totp', { code: totpCode(factor.totpURI) });
  return {
    recordedAt: Date.now(),
    workspaceId,
    session: Object.fromEntries([...cookies].filter(([name]) => name.endsWith('session_token'))),
    keys,
    totpUri: factor.totpURI,
    backupCodes: factor.backupCodes,
    pages,
    writes,
    invitation: { token: link.split('token=')[1] ?? '', email: INVITED },
    audits: await reader.audits(),
    others,
  };
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
const companyOf = (index: number): string => `com_${(index % COMPANIES) + 1}`;
const timeOf = (day: number): string => `2026-03-${String(day + 1).padStart(2, '0')}T09:30:00Z`;

function records(): Readonly<Record<string, readonly unknown[]>> {
  return {
    companies: range(COMPANIES).map((n) => ({ id: companyOf(n), name: `Company ${n}`, domain: null })),
    audits: range(AUDITS).map((n) => ({
      companyId: companyOf(n),
      headlineScore: (n * 37) % 101,
      completedAt: timeOf(n),
    })),
    mentions: range(OTHERS).map((n) => ({
      companyId: companyOf(n),
      source: 'Example News',
      url: `https://news.example/${n}`,
      title: `Titel ${n} – ä`,
      excerpt: '"quoted"',
      sentiment: 'neutral',
      publishedAt: timeOf(n),
    })),
    content: range(OTHERS).map((n) => ({ companyId: companyOf(n), title: `Item ${n}`, status: 'draft' })),
  };
}

const audit = (headlineScore: number) => ({ companyId: 'com_2', headlineScore, completedAt: timeOf(0) });

/** One record and a batch, by a key for all companies and by one for a company. */
const WRITES = [
  { path: '/v1/audits', key: 'write', idempotencyKey: 'one', body: audit(50) },
  { path: '/v1/audits/batch', key: 'write', idempotencyKey: 'many', body: { data: [audit(1), audit(2)] } },
  { path: '/v1/audits', key: 'limitedWrite', idempotencyKey: 'nightly', body: audit(60) },
] as const;

function splitToken({ token }: IssuedKey): RecordedKey {
  const [, mode = '', secret = ''] = /^svc_([a-z]+)_(.+)$/.exec(token) ?? [];
  return { mode, secret };
}

async function readPages(path: string, read: (path: string) => Promise<Page>): Promise<RecordedPages> {
  const page = `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`;
  const first = await read(page);
  const cursor = first.pagination.nextCursor;
  if (cursor === null) return { path, first: first.data };
  const { data, pagination } = await read(`${page}&cursor=${cursor}`);
  return { path, first: first.data, cursor, next: data, back: pagination.startCursor ?? '' };
}
