import { openApiDocument } from '@svc/openapi';
import type { MediaType, Parameter } from '@svc/openapi/types';
import { CONTRACT, TEST_EVENT } from '@svc/sdk/contract';
import { expect, test } from 'vitest';
import { noticeQuotas } from '../../src/changes/publish-events.ts';
import { HOUR_MS } from '../../src/config/time.ts';
import { warnOfExpiringKeys } from '../../src/jobs/expiring-keys.ts';
import { publishEvents } from '../contract/workspace-event.ts';
import { importText, ndjson } from '../harness/import.ts';
import { dashboard } from '../harness/webhooks/managed.ts';
import { newEndpoint, newEngine, newWriter, pool, startReceiver } from '../harness/webhooks/world.ts';
import { schemaViolations } from './response-check.ts';

const { webhooks, components } = openApiDocument({ publicUrl: 'https://svc.example.com', version: '1.2.3' });
const TYPES: readonly string[] = [...CONTRACT.changes.fields.type.values, TEST_EVENT.type];

const mediaOf = (type: string): MediaType => {
  const media = webhooks[type]?.post.requestBody?.content['application/json'];
  if (media === undefined) throw new Error(`the document has no body of ${type}`);
  return media;
};
/** The headers of a webhook, from the parameters of the document. */
const headersOf = (type: string): readonly Parameter[] =>
  (webhooks[type]?.post.parameters ?? []).map((each) => {
    if (!('$ref' in each)) return each;
    const found = components.parameters[each.$ref.split('/').at(-1) ?? ''];
    if (found === undefined) throw new Error(`${each.$ref} leads nowhere`);
    return found;
  });

test('the document has a webhook for each type of event of the contract and the test event, and no other', () => {
  expect(Object.keys(webhooks).sort()).toEqual([...TYPES].sort());
});

test('a webhook has a summary, its headers and an example that its schema allows, and needs no key', () => {
  const ids = Object.values(webhooks).map(({ post }) => post.operationId);
  expect(new Set(ids).size).toBe(TYPES.length);
  for (const [type, { post }] of Object.entries(webhooks)) {
    expect(post).toMatchObject({ security: [], operationId: expect.stringMatching(/^on[A-Z]\w+$/) });
    expect(post.summary).toMatch(/^\w+ \w/);
    expect(headersOf(type).map(({ name, required }) => [name, required])).toEqual(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, true]),
    );
    const { schema, example } = mediaOf(type);
    expect([type, schemaViolations(schema, example)]).toEqual([type, []]);
    // The body of another event is not valid.
    const other = mediaOf(type === 'company.deleted' ? 'company.created' : 'company.deleted').example;
    expect(schemaViolations(schema, other)).not.toEqual([]);
  }
});

test('the webhooks that the service sends have the headers and the bodies of the document, for each type of event', async () => {
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const writer = await newWriter(workspaceId);
  const all = await startReceiver();
  const gone = await startReceiver((response) => response.writeHead(410).end());
  const { id } = await newEndpoint(workspaceId, { url: all.url });
  await newEndpoint(workspaceId, { url: gone.url, types: ['company.created'] });
  newEngine();

  const companyId = await writer.createCompany('Acme');
  const company = `/v1/companies/${companyId}`;
  await writer.send('POST', '/v1/audits', {
    companyId,
    headlineScore: 7,
    completedAt: '2026-03-01T09:30:00Z',
  });
  const mention = {
    companyId,
    source: 'news.example.com',
    url: 'https://news.example.com/1',
    title: 'Acme',
    excerpt: '',
    sentiment: 'neutral',
    publishedAt: '2026-03-01T09:30:00Z',
  };
  for (const [path, body] of [
    ['/v1/mentions', mention],
    ['/v1/content', { companyId, title: 'Acme' }],
  ] as const) {
    const id = await writer.send('POST', path, body);
    await writer.send('PATCH', `${path}/${id}`, { title: 'Acme opens a second plant' });
    await writer.send('DELETE', `${path}/${id}`);
  }
  await writer.send('PATCH', company, { domain: 'acme.example' });
  const emptyId = await writer.createCompany('Empty');
  await writer.send('DELETE', `/v1/companies/${emptyId}`);
  const keys = `/workspaces/${workspaceId}/keys`;
  const created = await owner.send('POST', keys, { name: 'A key', mode: 'live', access: 'read', companyId });
  const { key } = created.json<{ key: { id: string } }>();
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  await owner.send('PATCH', `${keys}/${key.id}`, { expiresAt });
  await warnOfExpiringKeys(pool);
  for (const action of ['pause', 'resume', 'rotate', 'revoke'])
    await owner.send('POST', `${keys}/${key.id}/${action}`, {});
  await importText(pool, workspaceId, 'companies', ndjson([{ id: 'com_imported', name: 'Imported' }]));
  await owner.send('PATCH', `/workspaces/${workspaceId}`, { liveQuota: 1 });
  await noticeQuotas(pool);
  await owner.send('POST', `/workspaces/${workspaceId}/webhooks/${id}/test`, {});

  const bodies = () => all.received.map(({ body }) => JSON.parse(body) as { type: string; data: object });
  const types = () => [...new Set(bodies().map(({ type }) => type))].sort();
  await expect
    .poll(async () => {
      await publishEvents(pool);
      return types();
    })
    .toEqual([...TYPES].sort());
  for (const { headers, body } of all.received) {
    const event = JSON.parse(body) as { readonly type: string };
    expect([event, schemaViolations(mediaOf(event.type).schema, event)]).toEqual([event, []]);
    for (const { name, schema } of headersOf(event.type)) {
      expect([name, schemaViolations(schema, headers[name])]).toEqual([name, []]);
    }
  }
});
