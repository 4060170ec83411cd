import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { VERSION } from '@svc/sdk';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { bigQuery, LISTS } from '@svc/service/harness/lists.ts';
import { seedChanges } from '@svc/service/harness/records.ts';
import { addressOfNobody, listen, portOf } from '@svc/service/harness/socket.ts';
import { createWorld } from '@svc/service/harness/world.ts';
import { chromium } from 'playwright-core';
import { expect, type TestContext, test } from 'vitest';
import { RUNTIMES } from '../../../tools/runtimes/table.ts';
import { CHROMIUM_ARGUMENTS, installedChromium } from '../../../tools/screenshots/chromium.ts';
import { records } from '../cli/cli.ts';
import { copyOfSources, findRuntime, packClient, projectWith, run } from './package.ts';

const { service, workspaceId, token } = await createWorld();
const env = { SVC_BASE_URL: await listen(service), SVC_API_KEY: token, NOBODY: await addressOfNobody() };
const project = await projectWith(await packClient(await copyOfSources()));

const CHANGES = ['com_1', 'com_2', 'com_3'].map((id) => ({
  type: 'company.created',
  recordId: id,
  companyId: id,
  doc: JSON.stringify({ id, name: id }),
  changed: [],
}));
await seedChanges(service.pool, workspaceId, CHANGES);

/**
 * Skips a test whose runtime this machine does not have, and prints that, because skipped tests are not always listed.
 * `npm run runtimes` installs all runtimes, so that no test is skipped.
 */
function skip(context: TestContext, runtime: string): never {
  if (process.env['SVC_EVERY_RUNTIME'] !== undefined) throw new Error(`there is no ${runtime}`);
  process.stderr.write(`not tried: this machine has no ${runtime}\n`);
  return context.skip(`there is no ${runtime} here`);
}

const orderOf = async (sort: string): Promise<readonly string[]> => {
  const audits = LISTS.find(({ name }) => name === 'audits');
  if (audits === undefined) throw new Error('there are no audits');
  return bigQuery(service.pool, workspaceId, audits, { sort });
};

const PROGRAM = `
import { Svc, SvcNotFoundError, SvcNetworkError, etagOf, verifyWebhook, VERSION } from '@svc/sdk';
import { Readable } from 'node:stream';
import process from 'node:process';
const svc = new Svc();
const ids = [];
for await (const { id } of svc.audits.list({ limit: 4 })) ids.push(id);
const tailed = [];
const tail = svc.audits.tail({ follow: false });
for await (const { id } of tail) tailed.push(id);
const [oldest] = (await svc.changes.list({ type: 'company.created', sort: 'created-ascending', limit: 1 })).data;
const streamed = [];
const changes = svc.changes.stream({ after: oldest.id });
for await (const { recordId } of changes) if (streamed.push(recordId) === 2) break;
let opened;
const open = new Promise((resolve) => { opened = resolve; });
const opening = async (url, init) => {
  const response = await fetch(url, init);
  opened();
  return response;
};
const idle = new Svc({ fetch: opening }).changes.stream({ after: 'now' })[Symbol.asyncIterator]();
const idleNext = idle.next();
await open;
await idle.return();
const ended = (await idleNext).done;
const audit = await svc.audits.get(ids[0]);
const missing = await svc.audits.get('aud_none').catch((error) => error);
const away = await new Svc({ baseUrl: process.env.NOBODY, retries: 1, timing: { sleep: async () => {} } }).companies.list().catch((error) => error);
const aborted = await svc.audits.list({ signal: AbortSignal.abort() }).catch((error) => error.name);
const waiting = svc.audits.tail({ after: tail.position });
const stream = Readable.from(waiting);
stream.on('data', () => undefined);
const closed = new Promise((resolve) => stream.once('close', () => resolve(true)));
stream.destroy();
let mine;
const seeing = (url, init) => {
  mine = new Headers(init.headers).get('idempotency-key');
  return fetch(url, init);
};
await new Svc({ fetch: seeing }).request('POST', '/v1/companies', { body: {}, headers: { 'Idempotency-Key': 'mine' } }).catch(() => undefined);
const unset = await svc.audits.list({ companyId: null }).catch((error) => error.message);
const mistake = await new Svc({ fetch: () => undefined.status }).audits.get('aud_a').catch((error) => error.message.slice(0, 35));
const event = '{"type":"content.updated","timestamp":"2026-03-01T09:30:00Z","data":{"id":"chg_1"}}';
const secret = 'whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=';
const signed = { 'webhook-id': 'chg_1', 'webhook-timestamp': '1772357400', 'webhook-signature': 'v1,uPdLQYQQNXUvVmwKySg3pLE1lmgwtkylZYtmuCsVtdQ=' };
const verify = (body) => verifyWebhook(body, new Headers(signed), secret, { now: () => 1772357400000 });
const webhook = [(await verify(event)).type, await verify(event + ' ').catch((error) => error.code)];
console.log(JSON.stringify({
  webhook, closed: await closed, mine, unset, mistake,
  ids, tailed, streamed, ended, version: VERSION, etag: typeof etagOf(audit), resumes: typeof tail.position,
  missing: missing instanceof SvcNotFoundError && missing.requestId.startsWith('req_'),
  away: away instanceof SvcNetworkError, aborted,
  dryRun: (await svc.companies.createMany([{ name: 'A' }, { name: 'B' }]).catch((error) => error.code)),
}));
`;

test.for(RUNTIMES)('it runs on $name', async (runtime, context) => {
  const program = (await findRuntime(runtime)) ?? skip(context, runtime.name);
  const file = join(project, 'program.mjs');
  await writeFile(file, PROGRAM);
  const { stdout } = await run(program, [...runtime.args, file], { cwd: project, env });
  expect(JSON.parse(stdout)).toEqual({
    webhook: ['content.updated', 'wrong_signature'],
    closed: true,
    mine: 'mine',
    unset: '"companyId" is null. Pass a string, a number or a boolean, or leave it out.',
    mistake: "The client's `fetch` has a mistake:",
    ids: await orderOf('created-descending'),
    tailed: await orderOf('created-ascending'),
    streamed: ['com_2', 'com_3'],
    ended: true,
    version: VERSION,
    etag: 'string',
    resumes: 'string',
    missing: true,
    away: true,
    aborted: 'AbortError',
    dryRun: 'insufficient_scope',
  });
});

test.for(RUNTIMES)('its command line runs on $name', async (runtime, context) => {
  const program = (await findRuntime(runtime)) ?? skip(context, runtime.name);
  const main = join(project, 'node_modules/@svc/sdk/dist/cli/main.js');
  const svc = (...args: readonly string[]) =>
    run(program, [...runtime.args, ...(runtime.commandArgs ?? []), main, ...args], { env });
  expect((await svc('--version')).stdout.trim()).toBe(VERSION);
  expect(records((await svc('audits', 'list', '-n', '3')).stdout)).toHaveLength(3);
  expect((await svc('content', 'list', '--status', 'draft', '--format', 'table')).stdout).toContain('draft');
});

/** Serves the built client and a page, and forwards all other requests to the service: a browser requires one origin. */
async function startSite(page: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { url = '/', method = 'GET', headers } = request;
    if (url === '/') return response.setHeader('content-type', 'text/html').end(page);
    if (url.startsWith('/sdk/')) {
      const file = join(
        project,
        'node_modules/@svc/sdk/dist',
        new URL(url, 'http://site').pathname.slice('/sdk/'.length),
      );
      return response.setHeader('content-type', 'text/javascript').end(await readFile(file));
    }
    const { authorization = '' } = headers;
    const answer = await fetch(env.SVC_BASE_URL + url, { method, headers: { authorization } });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    // The page may end the connection at any time.
    return pipeline(Readable.from(answer.body ?? []), response).catch(() => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onFileEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

test('it runs in a browser', async (context) => {
  const executablePath = installedChromium() ?? skip(context, 'Chromium');
  const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_ARGUMENTS] });
  onFileEnd(() => browser.close());
  const site = await startSite('<!doctype html><title>client</title>');
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${portOf(site)}/`);
  const program = `(async (apiKey) => {
    const { Svc, SvcNotFoundError } = await import('/sdk/index.js');
    const svc = new Svc({ apiKey, baseUrl: location.origin });
    const ids = [];
    for await (const { id } of svc.audits.list({ limit: 4 })) ids.push(id);
    const missing = await svc.audits.get('aud_none').catch((error) => error instanceof SvcNotFoundError);
    const [oldest] = (await svc.changes.list({ type: 'company.created', sort: 'created-ascending', limit: 1 })).data;
    const streamed = [];
    for await (const { recordId } of svc.changes.stream({ after: oldest.id })) if (streamed.push(recordId) === 2) break;
    return { ids, missing, streamed };
  })(${JSON.stringify(token)})`;
  expect(await page.evaluate(program)).toEqual({
    ids: await orderOf('created-descending'),
    missing: true,
    streamed: ['com_2', 'com_3'],
  });
});
