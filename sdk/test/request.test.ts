import { type Fetch, type RequestOptions, SvcError, type SvcOptions } from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { clientOf, fetchOf } from './client.ts';
import { failing, observe } from './faults.ts';
import { idsOf } from './lists/lists.ts';

const service = await createTestService();
const fetchApp = fetchOf(service.app);
let token: string;
let sent: Readonly<Record<string, string>>[];
const recording: Fetch = (url, init) => {
  sent.push(init.headers);
  return fetchApp(url, init);
};
const client = (options: SvcOptions = {}) => clientOf(service.app, token, { fetch: recording, ...options });

beforeEach(async () => {
  token = await service.token(await service.workspace(), { access: 'write' });
  sent = [];
});

describe('a header of the caller', () => {
  const forms: readonly (readonly [string, RequestOptions['headers']])[] = [
    ['in lower case', { 'idempotency-key': 'mine' }],
    ['in another case', { 'Idempotency-Key': 'mine' }],
    ['as pairs', [['IDEMPOTENCY-KEY', 'mine']]],
    ['as Headers', new Headers({ 'Idempotency-Key': 'mine' })],
  ];

  test.each(forms)('replaces the client’s own header: %s', async (_, headers) => {
    const svc = client();
    const create = () => svc.request('POST', '/v1/companies', { body: { name: 'Acme' }, headers });
    expect((await create()).status).toBe(201);
    expect((await create()).headers.get('idempotent-replayed')).toBe('true');
    expect(await idsOf(svc.companies.list())).toHaveLength(1);
  });

  test('may set another media type and another user agent', async () => {
    const svc = client();
    const { id } = await svc.companies.create({ name: 'Acme' });
    const headers = { 'Content-Type': 'application/merge-patch+json', 'User-Agent': 'mine/1' };
    const answer = await svc.request('PATCH', `/v1/companies/${id}`, { body: { name: 'Apex' }, headers });
    expect(answer.body).toMatchObject({ id, name: 'Apex' });
    expect(sent.at(-1)).toMatchObject({ 'user-agent': 'mine/1' });
    expect(Object.keys(sent.at(-1) ?? {})).toEqual(
      Object.keys(sent.at(-1) ?? {}).map((n) => n.toLowerCase()),
    );
  });

  test('that is undefined is left out; one that is given twice or is not a string is refused', async () => {
    const svc = client();
    await svc.request('GET', '/v1/companies', { headers: { 'If-None-Match': undefined } });
    expect(Object.keys(sent[0] ?? {})).not.toContain('if-none-match');
    const twice = svc.request('GET', '/v1/companies', { headers: { 'If-Match': '"a"', 'if-match': '"b"' } });
    await expect(twice).rejects.toThrow(new SvcError('The header "if-match" is given twice.'));
    const headers = JSON.parse('{"If-Match":null}');
    await expect(svc.request('GET', '/v1/companies', { headers })).rejects.toThrow(
      new SvcError('The header "if-match" must be a string, not null.'),
    );
    expect(sent).toHaveLength(1);
  });
});

test('a POST in lower case is retried as safely as one in upper case', async () => {
  const { svc } = observe(service, token, { fetch: failing(fetchApp, 2, 'after') });
  await svc.request('post', '/v1/companies', { body: { name: 'Acme' } });
  expect(await idsOf(client().companies.list())).toHaveLength(1);
});
