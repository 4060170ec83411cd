import { Readable } from 'node:stream';
import { RESOURCES as CLIENT_RESOURCES, type Svc } from '@svc/sdk';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Collection } from '../../../sdk/src/collection/types.ts';
import { clientOf, fetchOf, IN_PROCESS_URL } from '../../../sdk/test/client.ts';
import { createApp } from '../../src/app.ts';
import { OPERATOR } from '../../src/audit-log/actor.ts';
import { exportRecords } from '../../src/bulk/export.ts';
import { importRecords } from '../../src/bulk/import.ts';
import { lanesOver } from '../../src/database/lanes.ts';
import type { Finding } from '../../src/integrity/finding.ts';
import { verifyRecords } from '../../src/integrity/verify.ts';
import type { openApiDocument } from '../../src/openapi/document.ts';
import { RESOURCES } from '../../src/resources/index.ts';
import { onFileEnd } from '../harness/cleanup.ts';
import { COMPANY, OTHER_COMPANY } from '../harness/lists.ts';
import { TEST_SECRET } from '../harness/service.ts';
import { createWorld } from '../harness/world.ts';
import { clientReviews, REVIEWS_SQL, type Review, reviews } from './review.ts';

// A resource is added as ARCHITECTURE.md says, and is then everywhere. The client's table gets its line before the
// command line reads it.
Object.assign(CLIENT_RESOURCES, { reviews: clientReviews });
const { cli, records } = await import('../../../sdk/test/cli.ts');

const { service, workspaceId } = await createWorld();
const { pool } = service;
const resources = [...RESOURCES, reviews];
let app: FastifyInstance;
let token: string;

const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) => {
  const options: InjectOptions = { method, url, headers: { authorization: `Bearer ${token}` } };
  return app.inject(body === undefined ? options : { ...options, payload: body });
};

beforeAll(async () => {
  await pool.query(REVIEWS_SQL);
  app = createApp({
    lanes: lanesOver(pool),
    resources,
    secrets: [TEST_SECRET],
    config: { trustProxy: false, failedAuthPerMinute: 1_000, publicUrl: IN_PROCESS_URL },
    log: pino({ level: 'silent' }),
  });
  onFileEnd(() => app.close());
  token = await service.token(workspaceId, { access: 'write' });
});

/** A client with the property that the table gives it. */
const client = (): Svc & { readonly reviews: Collection<typeof clientReviews> } =>
  clientOf(app, token) as Svc & { readonly reviews: Collection<typeof clientReviews> };

const review = (rating: number, companyId = COMPANY) => ({ companyId, rating, author: `author ${rating}` });

describe('a resource that was added', () => {
  test('is created, alone and in a batch, with its defaults', async () => {
    const one = await send('POST', '/v1/reviews', { companyId: COMPANY, rating: 3 });
    expect(one.statusCode).toBe(201);
    expect(one.json<Review>()).toMatchObject({ rating: 3, stage: 'new', author: null });
    expect(one.json<Review>().id).toMatch(/^rev_/);
    const batch = await send('POST', '/v1/reviews/batch', {
      data: [review(5), review(1, OTHER_COMPANY), review(4)],
    });
    expect(batch.json<{ data: Review[] }>().data.map(({ rating }) => rating)).toEqual([5, 1, 4]);
  });

  test('is listed in its order and by its sorts and filters, and any other is refused', async () => {
    const ratings = async (query = ''): Promise<readonly number[]> =>
      (await send('GET', `/v1/reviews${query}`)).json<{ data: Review[] }>().data.map(({ rating }) => rating);
    expect(await ratings()).toEqual([4, 1, 5, 3]);
    expect(await ratings('?sort=rating-descending')).toEqual([5, 4, 3, 1]);
    expect(await ratings(`?companyId=${OTHER_COMPANY}`)).toEqual([1]);
    expect(await ratings('?stage=answered')).toEqual([]);
    expect((await send('GET', '/v1/reviews?sort=author-descending')).json()).toMatchObject({
      error: { code: 'invalid_parameter', message: expect.stringContaining('rating-ascending') },
    });
    expect((await send('GET', '/v1/reviews?autor=Ada')).statusCode).toBe(400);
  });

  test('keeps to the company of a key', async () => {
    const limited = await service.token(workspaceId, { companyId: OTHER_COMPANY });
    const headers = { authorization: `Bearer ${limited}` };
    const list = await app.inject({ url: '/v1/reviews', headers });
    expect(list.json<{ data: Review[] }>().data).toMatchObject([{ companyId: OTHER_COMPANY }]);
    expect((await app.inject({ url: `/v1/reviews?companyId=${COMPANY}`, headers })).statusCode).toBe(403);
  });

  test('is read, changed and deleted by its id', async () => {
    const { id } = (await send('POST', '/v1/reviews', review(2))).json<Review>();
    expect((await send('PATCH', `/v1/reviews/${id}`, { stage: 'answered' })).statusCode).toBe(200);
    expect((await send('GET', `/v1/reviews/${id}`)).json()).toMatchObject({ rating: 2, stage: 'answered' });
    expect((await send('PATCH', `/v1/reviews/${id}`, { rating: 6 })).json()).toMatchObject({
      error: { code: 'invalid_body', message: expect.stringContaining('/rating') },
    });
    expect((await send('DELETE', `/v1/reviews/${id}`)).statusCode).toBe(204);
    expect((await send('GET', `/v1/reviews/${id}`)).statusCode).toBe(404);
  });

  test('is in the description of the API, with parameters, examples and samples', async () => {
    const document = (await app.inject({ url: '/openapi.json' })).json<ReturnType<typeof openApiDocument>>();
    expect(document.tags.map((tag) => tag['x-displayName'])).toContain('Reviews');
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/v1/reviews', '/v1/reviews/batch', '/v1/reviews/{id}']),
    );
    const list = document.paths['/v1/reviews']?.get;
    expect(JSON.stringify(list?.parameters)).toMatch(/rating-descending.*"stage"/);
    expect(list?.['x-codeSamples']?.map(({ label }) => label)).toEqual(['curl', 'TypeScript', 'Python']);
    expect(document.components.schemas).toMatchObject({
      Review: { properties: { rating: { minimum: 1, maximum: 5 } } },
      NewReview: { required: ['companyId', 'rating'] },
      ReviewPatch: {},
      ReviewList: {},
    });
  });

  test('is exported, and imported as it was', async () => {
    const target = { pool, workspaceId, resource: reviews };
    const exported = async (format: 'ndjson' | 'csv'): Promise<string> => {
      let file = '';
      for await (const part of exportRecords({ ...target, format })) file += part;
      return file;
    };
    for (const format of ['ndjson', 'csv'] as const) {
      const file = await exported(format);
      expect(file.trim().split('\n')).toHaveLength(format === 'csv' ? 5 : 4);
      await pool.query('delete from reviews where workspace_id = $1', [workspaceId]);
      await pool.query(`delete from record_counts where workspace_id = $1 and resource = 'reviews'`, [
        workspaceId,
      ]);
      const input = Readable.from([Buffer.from(file)]);
      expect(await importRecords({ ...target, by: OPERATOR, format, input })).toMatchObject({
        inserted: 4,
        refused: 0,
      });
      expect(await exported(format)).toBe(file);
    }
  });

  test('is found to be true by the verification', async () => {
    const findings: Finding[] = [];
    await verifyRecords({
      pool,
      resources: [reviews],
      repair: false,
      onFinding: (finding) => findings.push(finding),
      onProgress: () => undefined,
    });
    expect(findings.filter(({ detail }) => detail.includes('review'))).toEqual([]);
  });

  test('has its methods in the client library', async () => {
    const svc = client();
    const created = await svc.reviews.create(review(2));
    const ratings: number[] = [];
    for await (const { rating } of svc.reviews.list({ sort: 'rating-ascending', limit: 2 }))
      ratings.push(rating);
    expect(ratings).toEqual([1, 2, 3, 4, 5]);
    const tailed: string[] = [];
    for await (const { id } of svc.reviews.tail({ follow: false })) tailed.push(id);
    expect(tailed.at(-1)).toBe(created.id);
    await svc.reviews.delete(created.id);
  });

  test('has its commands, help and completion in the command line', async () => {
    const options = { fetch: fetchOf(app), env: { SVC_API_KEY: token, SVC_BASE_URL: IN_PROCESS_URL } };
    const run = (argv: string) => cli(argv.split(' '), options);
    const listed = await run('reviews list --sort rating-descending --stage new --format ndjson');
    expect({ code: listed.code, stderr: listed.stderr }).toEqual({ code: 0, stderr: '' });
    expect(records(listed.stdout).map((record) => record['rating'])).toEqual([5, 4, 3, 1]);
    expect((await run('--help')).stdout).toContain('reviews');
    expect((await run('reviews create --help')).stdout).toContain('rating');
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect((await run(`completion ${shell}`)).stdout).toContain('reviews');
    }
  });
});
