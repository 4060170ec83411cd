import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openApiDocument } from '@svc/openapi';
import { Svc, SvcApiError } from '@svc/sdk';
import { beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { freePort } from '../../src/server/listen.ts';
import { REPOSITORY } from '../docs/documents.ts';
import { onFileEnd } from '../harness/cleanup.ts';
import { COMPANY, LISTS, walk } from '../harness/lists.ts';
import { listen } from '../harness/socket.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { createWorld, ITEMS, type World } from '../harness/world.ts';

// Programs of others that know only the document check what the service really sends.

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

/** Starts Prism as a proxy that refuses each request and response that the document does not allow. Returns its address. */
async function validatingProxy(upstream: string): Promise<string> {
  const file = join(await temporaryDirectory(), 'openapi.json');
  await writeFile(file, JSON.stringify(openApiDocument({ publicUrl: upstream, version: '0' })));
  const port = await freePort('127.0.0.1');
  const prism = join(REPOSITORY, 'node_modules/@stoplight/prism-cli/dist/index.js');
  const options = ['--errors', '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(process.execPath, [prism, 'proxy', file, upstream, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  onFileEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('is listening on')) break;
  }
  child.stdout.resume();
  return `http://127.0.0.1:${port}`;
}

test('the client works through a proxy that passes only documented requests and responses', async () => {
  const { service, workspaceId } = world;
  const baseUrl = await validatingProxy(await listen(service));
  const apiKey = await service.token(workspaceId, { access: 'write' });
  const svc = new Svc({ apiKey, baseUrl, timing: { sleep: async () => undefined } });
  const undocumented = `${baseUrl}/v1/audits?limit=0`;
  const refused = await fetch(undocumented, { headers: { authorization: `Bearer ${apiKey}` } });
  expect(refused.headers.get('content-type')).toContain('problem+json');

  const all = async (list: {
    toArray(options: { max: number }): Promise<readonly unknown[]>;
  }): Promise<number> => (await list.toArray({ max: 1_000 })).length;
  const lists = [svc.audits, svc.mentions, svc.content, svc.companies, svc.apiKeys, svc.auditLog];
  expect(lists).toHaveLength(LISTS.length);
  for (const list of lists) {
    expect(await all(list.list({ limit: 5 }))).toBeGreaterThanOrEqual(ITEMS);
    const page = await list.list({ limit: 2 });
    const [record] = page.data;
    if (record === undefined) throw new Error('a list is empty');
    expect(await list.get(record.id)).toEqual(record);
    await expect(list.get('none_there')).rejects.toMatchObject({ code: 'not_found' });
  }
  expect(
    await all(svc.audits.list({ sort: 'score-ascending', companyId: COMPANY, limit: 3 })),
  ).toBeGreaterThan(0);
  expect((await svc.audits.count()).count).toBeGreaterThan(0);
  expect((await svc.audits.count({ approximate: true })).approximate).toBe(true);

  const company = await svc.companies.create({ name: 'Judged', domain: null });
  const many = await svc.mentions.createMany(
    Array.from({ length: 3 }, (_, i) => ({
      companyId: company.id,
      source: 'news',
      url: `https://news.example/${i}`,
      title: `Mention ${i}`,
      excerpt: 'What it says.',
      sentiment: 'positive' as const,
      publishedAt: '2026-03-01T09:30:00+16:00',
    })),
  );
  expect(many).toHaveLength(3);
  const item = await svc.content.create({ companyId: company.id, title: 'Judged' });
  const moved = await svc.content.update(item.id, { status: 'in_review' }, { ifMatch: item });
  await expect(svc.content.update(item.id, { title: 'lost' }, { ifMatch: item })).rejects.toMatchObject({
    code: 'precondition_failed',
  });
  await expect(svc.content.update(item.id, { status: 'archived' })).rejects.toMatchObject({
    code: 'invalid_transition',
  });
  await expect(svc.companies.delete(company.id)).rejects.toMatchObject({ code: 'conflict' });
  await expect(svc.companies.create({ id: company.id, name: 'again' })).rejects.toBeInstanceOf(SvcApiError);
  await svc.content.delete(moved.id);
  const sandbox = new Svc({
    apiKey: await service.token(workspaceId, { access: 'write', mode: 'test' }),
    baseUrl,
  });
  expect((await sandbox.companies.create({ name: 'dry run' })).name).toBe('dry run');
});

/** A validator of a schema of the document, as a program would generate it. */
function validatorOf(name: string): z.ZodType {
  const { schemas } = openApiDocument({ publicUrl: 'http://svc.test', version: '0' }).components;
  const text = JSON.stringify({ $ref: `#/$defs/${name}`, $defs: schemas });
  return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
}

test.each(LISTS)(
  'a generated validator accepts every page of $path, and a kind or field that is added later',
  async (list) => {
    const validator = validatorOf(`${list.resource.type}List`);
    const pages = await walk((params) => world.get(list, params), { limit: 4 });
    expect(pages.length).toBeGreaterThan(2);
    for (const page of pages) {
      expect(z.safeParse(validator, page).error).toBeUndefined();
      const [record] = page.data;
      const later = {
        ...page,
        data: [{ ...record, ...('kind' in Object(record) ? { kind: 'new.kind' } : {}), added: 1 }],
      };
      expect(z.safeParse(validator, later).error).toBeUndefined();
      expect(z.safeParse(validator, { ...page, data: [{ ...record, id: 5 }] }).success).toBe(false);
    }
  },
);

test('a generated validator accepts every failure, and a code that is added later', async () => {
  const validator = validatorOf('ErrorEnvelope');
  for (const url of ['/v1/audits?limit=0', '/v1/nothing', '/v1/audits/none']) {
    const answer = await world.service.request(world.token, url);
    expect(z.safeParse(validator, answer.json()).error).toBeUndefined();
  }
  const added = { error: { code: 'code_of_tomorrow', message: 'It is new.' } };
  expect(z.safeParse(validator, added).error).toBeUndefined();
  expect(z.safeParse(validator, { error: { code: 5, message: 'm' } }).success).toBe(false);
});
