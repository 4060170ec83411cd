import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { CreatedEndpoint, WebhookEndpoint, WebhookSecrets } from '../../src/webhooks/wire.ts';
import { dashboard, managed, newSettings } from '../harness/webhooks/managed.ts';
import { newEngine, startReceiver } from '../harness/webhooks/world.ts';

test('an endpoint is created with a secret that signs, and its settings are as they were sent', async () => {
  const { owner, path, writer, create } = await managed();
  const receiver = await startReceiver();
  await writer.createCompany('before');
  const { endpoint, secret } = await create({ url: receiver.url });
  expect(endpoint).toEqual({
    ...newSettings(receiver.url),
    id: expect.stringMatching(/^whe_/),
    enabled: true,
    disabled: null,
    failingSince: null,
    createdAt: expect.stringMatching(/^2.*Z$/),
    updatedAt: endpoint.createdAt,
  });
  expect((await owner.send('GET', `${path}/${endpoint.id}`)).json()).toEqual({ endpoint });
  newEngine();
  await writer.createCompany('after');
  // A new endpoint gets nothing from before its creation.
  await expect.poll(() => receiver.received.length).toBe(1);
  const [received] = receiver.received;
  expect(new Webhook(secret).verify(received?.body ?? '', { ...received?.headers })).toMatchObject({
    data: { record: { name: 'after' } },
  });
});

test('a repeat of a creation creates nothing and shows no secret', async () => {
  const { owner, path } = await managed();
  const options = { headers: { 'idempotency-key': randomUUID() } };
  const body = newSettings('https://example.com/hook');
  const first = await owner.send('POST', path, body, options);
  const second = await owner.send('POST', path, body, options);
  expect([first.status, second.status]).toEqual([201, 200]);
  const { endpoint } = first.json<CreatedEndpoint>();
  expect(second.json()).toEqual({ endpoint, secret: null });
  expect((await owner.send('GET', path)).json()).toEqual({ data: [endpoint] });
  expect((await owner.send('DELETE', `${path}/${endpoint.id}`)).status).toBe(204);
  expect((await owner.send('POST', path, body, options)).status).toBe(409);
});

test('a workspace has at most 50 endpoints, and a deleted one does not count', async () => {
  const { owner, path, create } = await managed();
  const { endpoint } = await create({ url: 'https://example.com' });
  const body = newSettings('https://example.com');
  const answers = await Promise.all(Array.from({ length: 50 }, () => owner.send('POST', path, body)));
  const statuses = answers.map(({ status }) => status).toSorted();
  expect(statuses.slice(-2)).toEqual([201, 409]);
  expect(await owner.send('DELETE', `${path}/${endpoint.id}`)).toMatchObject({ status: 204 });
  expect(await owner.send('POST', path, body)).toMatchObject({ status: 201 });
  const { data } = (await owner.send('GET', path)).json<{ data: readonly WebhookEndpoint[] }>();
  expect(data).toHaveLength(50);
  expect(data.map(({ id }) => id)).toEqual(
    data
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
});

describe('settings that are not allowed get 400, with the name of the field', () => {
  test.each([
    ['url', 'no URL'],
    ['url', ''],
    ['url', 'ftp://example.com'],
    ['url', 'https://user:password@example.com'],
    ['url', 'https:///example.com/hook'],
    ['url', 'https://\\example.com/hook'],
    ['url', `https://example.com/${'a'.repeat(2048)}`],
    ['url', 'https://10.0.0.1/hook'],
    ['url', 'https://[::1]/hook'],
    ['url', 'https://0xa9fea9fe/latest'],
    ['url', 'http://93.184.216.34/hook'],
    ['url', null],
    ['description', 'two\nlines'],
    ['description', 'a'.repeat(201)],
    ['types', []],
    ['types', ['company.created', 'company.created']],
    ['types', ['company.eaten']],
    ['types', 'company.created'],
    ['companyId', 'com_of_nobody'],
    ['companyId', 7],
    ['ordered', 'yes'],
    ['unknown', 1],
  ])('%s: %j', async (field, value) => {
    const { owner, path, create } = await managed();
    const { endpoint } = await create({ url: 'https://example.com' });
    const settings = newSettings('https://example.com');
    for (const answer of [
      await owner.send('POST', path, { ...settings, [field]: value }),
      await owner.send('PATCH', `${path}/${endpoint.id}`, { [field]: value }),
    ]) {
      expect(answer).toMatchObject({ status: 400 });
      expect(answer.json()).toMatchObject({
        error: { code: 'invalid_body', message: expect.stringContaining(`"${field}"`) },
      });
    }
    expect((await owner.send('GET', path)).json()).toEqual({ data: [endpoint] });
  });
});

test('a company of another workspace is not allowed, and one of this workspace limits the changes', async () => {
  const { writer, owner, path, create } = await managed();
  const other = await managed();
  const foreign = await other.writer.createCompany('foreign');
  expect(
    await owner.send('POST', path, { ...newSettings('https://example.com'), companyId: foreign }),
  ).toMatchObject({ status: 400 });
  const [own, own2] = [await writer.createCompany('own'), await writer.createCompany('own 2')];
  const receiver = await startReceiver();
  const { endpoint } = await create({ url: receiver.url, companyId: own });
  newEngine();
  for (const id of [own2, own]) await writer.send('PATCH', `/v1/companies/${id}`, { name: 'new' });
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ data: { recordId: own } });
  // The company is deleted: the other settings can still be changed.
  await writer.send('DELETE', `/v1/companies/${own}`);
  expect(
    await owner.send('PATCH', `${path}/${endpoint.id}`, { description: 'new', companyId: own }),
  ).toMatchObject({
    status: 200,
  });
});

test('viewers and people of other workspaces see and change nothing', async () => {
  const { workspaceId, path, create } = await managed();
  const { endpoint } = await create({ url: 'https://example.com/a' });
  const other = await managed();
  const viewer = await dashboard.member(workspaceId, 'viewer');
  const requests = [
    ['GET', ''],
    ['POST', '', newSettings('https://example.com')],
    ['GET', `/${endpoint.id}`],
    ['PATCH', `/${endpoint.id}`, { enabled: false }],
    ['DELETE', `/${endpoint.id}`],
    ['GET', `/${endpoint.id}/secret`],
    ['POST', `/${endpoint.id}/rotate`, {}],
  ] as const;
  for (const [method, rest, body] of requests) {
    expect((await viewer.send(method, `${path}${rest}`, body)).status).toBe(403);
    expect((await other.owner.send(method, `${path}${rest}`, body)).status).toBe(404);
    if (rest === '') continue;
    // The endpoint of the first workspace, asked for in the own one.
    const foreign = await other.owner.send(method, `${other.path}${rest}`, body);
    const none = await other.owner.send(
      method,
      `${other.path}${rest.replace(endpoint.id, 'whe_none')}`,
      body,
    );
    expect([foreign.status, foreign.json<{ error: { message: string } }>().error.message]).toEqual([
      404,
      none.json<{ error: { message: string } }>().error.message,
    ]);
  }
  const admin = await dashboard.member(workspaceId, 'admin');
  expect((await admin.send('GET', path)).json()).toEqual({ data: [endpoint] });
});

test('the secret can be seen and rotated, and both secrets sign for a day', async () => {
  const { owner, path, writer, create } = await managed();
  const receiver = await startReceiver();
  const { endpoint, secret } = await create({ url: receiver.url });
  const shown = async () => (await owner.send('GET', `${path}/${endpoint.id}/secret`)).json<WebhookSecrets>();
  expect(await shown()).toEqual({ secret, previous: null });
  const rotated = (await owner.send('POST', `${path}/${endpoint.id}/rotate`, {})).json<WebhookSecrets>();
  expect(rotated.previous?.secret).toBe(secret);
  expect(Date.parse(rotated.previous?.until ?? '') - Date.now()).toBeGreaterThan(23 * 3_600_000);
  expect(await shown()).toEqual(rotated);
  newEngine();
  await writer.createCompany('A');
  await expect.poll(() => receiver.received.length).toBe(1);
  const [{ body, headers } = { body: '', headers: {} }] = receiver.received;
  for (const one of [secret, rotated.secret]) new Webhook(one).verify(body, { ...headers });
});

test('the audit log has no secret and no path of a URL', async () => {
  const { owner, path, create, change, entries } = await managed();
  const { endpoint, secret } = await create({ url: 'https://example.com/private?token=1' });
  await change(endpoint.id, { url: 'https://example.com/hidden', description: 'new' });
  await owner.send('GET', `${path}/${endpoint.id}/secret`);
  const all = await entries();
  expect(all.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['webhook.created', 'webhook.updated', 'webhook.secret_shown']),
  );
  for (const text of [secret, 'private', 'token', 'hidden']) expect(JSON.stringify(all)).not.toContain(text);
});
