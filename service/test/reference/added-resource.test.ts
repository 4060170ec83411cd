import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { openApiDocument } from '@svc/openapi';
import { beforeAll, describe, expect, test } from 'vitest';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { createTestDatabase } from '../harness/database.ts';
import { runSvcd, type ServiceProcess, type SvcdOptions, startSvcd } from '../harness/process.ts';
import { secret } from '../harness/secrets.ts';
import { CLIENT_PROGRAM } from './review.ts';
import { repositoryWithReviews } from './reviews-repository.ts';

// A copy of this repository gets one entry in the contract and one migration, as ARCHITECTURE.md says, and nothing else.
// dashboard/test/added-resource.test.ts looks for the resource in the pages.

interface Review {
  readonly id: string;
  readonly rating: number;
}

const copy = await repositoryWithReviews();
await copy.write('use-reviews.ts', CLIENT_PROGRAM);

const { url: databaseUrl } = await createTestDatabase({ template: false });
const env = { SVC_DATABASE_URL: databaseUrl, SVC_SECRET: secret(randomBytes(32).toString('base64url')) };
const program = join(copy.directory, 'svcd/src/svcd.ts');
const svcd = (args: readonly string[], options: SvcdOptions = {}) =>
  runSvcd(args, { ...options, env, program });

let service: ServiceProcess;
let workspaceId: string;
let token: string;

beforeAll(async () => {
  service = await startSvcd(env, { program });
  workspaceId = await bootstrapWorkspace(env, undefined, program);
  const session = await signIn(service);
  token = (await session.createKey(workspaceId, { access: 'write' })).token;
  for (const id of ['com_one', 'com_two']) await send('POST', '/v1/companies', { id, name: id });
});

async function send<T>(
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: T }> {
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
}

const review = (rating: number, companyId = 'com_one') => ({ companyId, rating, author: `author ${rating}` });
const cli = (...args: readonly string[]) =>
  copy.run('node', ['sdk/src/cli/main.ts', ...args], { SVC_BASE_URL: service.url, SVC_API_KEY: token });

describe('a resource that was added', () => {
  test('is created with its defaults, in a single request and in a batch', async () => {
    const one = await send<Review>('POST', '/v1/reviews', { companyId: 'com_one', rating: 3 });
    expect(one).toMatchObject({ status: 201, body: { rating: 3, stage: 'new', author: null } });
    expect(one.body.id).toMatch(/^rev_/);
    const data = [review(5), review(1, 'com_two'), review(4)];
    const batch = await send<{ data: Review[] }>('POST', '/v1/reviews/batch', { data });
    expect(batch.body.data.map(({ rating }) => rating)).toEqual([5, 1, 4]);
  });

  test('is listed in its order, with its sorts and filters, and other sorts and filters are refused', async () => {
    const ratings = async (query = ''): Promise<readonly number[]> =>
      (await send<{ data: Review[] }>('GET', `/v1/reviews${query}`)).body.data.map(({ rating }) => rating);
    expect(await ratings()).toEqual([4, 1, 5, 3]);
    expect(await ratings('?sort=rating-descending')).toEqual([5, 4, 3, 1]);
    expect(await ratings('?companyId=com_two')).toEqual([1]);
    expect(await ratings('?stage=answered')).toEqual([]);
    expect((await send('GET', '/v1/reviews?sort=author-descending')).body).toMatchObject({
      error: { code: 'invalid_parameter', message: expect.stringContaining('rating-ascending') },
    });
    expect((await send('GET', '/v1/reviews?autor=Ada')).status).toBe(400);
    expect((await send('GET', '/v1/reviews/count')).body).toEqual({ count: 4, approximate: false });
  });

  test('is limited to the company of a key', async () => {
    const session = await signIn(service);
    const limited = await session.createKey(workspaceId, { companyId: 'com_two' });
    const headers = { authorization: `Bearer ${limited.token}` };
    const list = await fetch(`${service.url}/v1/reviews`, { headers });
    expect(await list.json()).toMatchObject({ data: [{ companyId: 'com_two' }] });
    const other = await fetch(`${service.url}/v1/reviews?companyId=com_one`, { headers });
    expect(other.status).toBe(403);
  });

  test('is read, changed and deleted by its id', async () => {
    const { id } = (await send<Review>('POST', '/v1/reviews', review(2))).body;
    expect((await send('PATCH', `/v1/reviews/${id}`, { stage: 'answered' })).status).toBe(200);
    expect((await send('GET', `/v1/reviews/${id}`)).body).toMatchObject({ rating: 2, stage: 'answered' });
    expect((await send('PATCH', `/v1/reviews/${id}`, { rating: 6 })).body).toMatchObject({
      error: { code: 'invalid_body', message: expect.stringContaining('/rating') },
    });
    expect((await send('DELETE', `/v1/reviews/${id}`)).status).toBe(204);
    expect((await send('GET', `/v1/reviews/${id}`)).status).toBe(404);
  });

  test('is in the OpenAPI document, with parameters, examples and samples', async () => {
    const { body: document } = await send<ReturnType<typeof openApiDocument>>('GET', '/openapi.json');
    expect(document.tags.map((tag) => tag['x-displayName'])).toContain('Reviews');
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/v1/reviews', '/v1/reviews/count', '/v1/reviews/batch', '/v1/reviews/{id}']),
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

  test('is exported, and imported without a difference', async () => {
    const companies = await svcd(['export', 'companies', '--workspace', workspaceId, '--format', 'ndjson']);
    for (const format of ['ndjson', 'csv']) {
      // A workspace for each format: an import does not change records that exist.
      const target = await bootstrapWorkspace(env, undefined, program);
      const imported = (args: readonly string[], input: string) =>
        svcd(['import', ...args, '-', '--workspace', target], { input });
      expect(await imported(['companies', '--format', 'ndjson'], companies.stdout)).toMatchObject({
        code: 0,
      });
      const exported = (from: string) => svcd(['export', 'reviews', '--workspace', from, '--format', format]);
      const file = (await exported(workspaceId)).stdout;
      expect(file.trim().split('\n')).toHaveLength(format === 'csv' ? 5 : 4);
      const { code, stderr } = await imported(['reviews', '--format', format], file);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect((await exported(target)).stdout).toBe(file);
    }
  });

  test('passes the verification', async () => {
    const { code, stderr } = await svcd(['verify']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('has its methods in the client library', async () => {
    const { stdout } = await copy.run('node', ['use-reviews.ts'], {
      SVC_BASE_URL: service.url,
      SVC_API_KEY: token,
    });
    const seen = JSON.parse(stdout);
    expect(seen).toMatchObject({
      created: { rating: 2, stage: 'new', author: null },
      changed: { rating: 2, stage: 'answered', author: 'Ada' },
      ratings: [1, 2, 3, 4, 5],
      count: 4,
    });
    expect(seen.tailed).toEqual([seen.created.id]);
  });

  test('has its commands, help and completion in the command line', async () => {
    const listed = await cli(
      'reviews',
      'list',
      '--sort',
      'rating-descending',
      '--stage',
      'new',
      '--format',
      'csv',
    );
    expect(listed.stderr).toBe('');
    const [header, ...rows] = listed.stdout.trim().split('\n');
    expect(header).toBe('id,companyId,rating,stage,author,createdAt');
    expect(rows.map((row) => Number(row.split(',')[2]))).toEqual([5, 4, 3, 1]);
    const created = await cli('reviews', 'create', 'companyId=com_one', 'rating=2', '--format', 'json');
    const { id } = JSON.parse(created.stdout) as Review;
    await cli('reviews', 'update', id, 'author=Ada');
    expect(JSON.parse((await cli('reviews', 'get', id, '--format', 'json')).stdout)).toMatchObject({
      rating: 2,
      author: 'Ada',
    });
    await cli('reviews', 'delete', id);
    expect((await cli('reviews', 'count')).stdout).toBe('4\n');
    expect((await cli('--help')).stdout).toContain('reviews');
    expect((await cli('reviews', 'create', '--help')).stdout).toContain('rating');
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect((await cli('completion', shell)).stdout).toContain('reviews');
    }
  });

  test('compiles, with a program that uses it', async () => {
    await copy.run('tsc', ['-p', 'tsconfig.json']);
  });
});
