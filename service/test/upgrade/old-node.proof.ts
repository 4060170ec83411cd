import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packagedBinaries, startThrowawayServer } from '@svc/embedded-postgres/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { onFileEnd } from '../harness/cleanup.ts';
import { POSTGRESQL_15 } from '../harness/postgres/external-15.ts';
import { runSvcd, type ServiceProcess, startSvcd } from '../harness/process.ts';
import { totpCode } from '../harness/totp.ts';
import { type Ask, askAt } from './ask.ts';
import { checkKeys, checkPages, checkRepeats, checkSecondFactor, type Page, signIn } from './checks.ts';
import { bootstrap, expectClean, TOO_OLD } from './deployment.ts';
import { fillRelease } from './fill.ts';
import { joinToken, type RecordedNow, tokenOf } from './recorded.ts';
import { installRelease, RELEASE } from './release.ts';

const TIMEOUT_MS = 600_000;
const AUDIT = { companyId: 'com_2', headlineScore: 7, completedAt: '2026-03-01T09:30:00Z' };
const COMPANY = { name: 'New', domain: null };
/** Debian's, where it is installed. */
async function binaries() {
  if (!existsSync(POSTGRESQL_15)) return packagedBinaries();
  return { initdb: join(POSTGRESQL_15, 'initdb'), postgres: join(POSTGRESQL_15, 'postgres') };
}

const program = await installRelease();

// A node of the release runs on an external database. A node of this version starts meanwhile, and then both run.
describe(`a node of ${RELEASE.version}, while and after a new node has upgraded its database,`, () => {
  let env: Readonly<Record<string, string>>;
  let recorded: RecordedNow;
  let oldNode: ServiceProcess;
  let newNode: ServiceProcess;
  let askOld: Ask;
  let askNew: Ask;
  const during = new Map<number, number>();

  beforeAll(async () => {
    const server = await startThrowawayServer(await binaries(), ['--locale=C.UTF-8']);
    onFileEnd(server.stop);
    env = { SVC_DATABASE_URL: server.url, SVC_SECRET: randomBytes(32).toString('base64url') };
    oldNode = await startSvcd(env, { program });
    askOld = askAt(oldNode.url);
    const other = await bootstrap(env, 'Other', program);
    recorded = await fillRelease(askOld, await bootstrap(env, 'Test', program), [other]);
    const company = await repeat(askOld);
    expect(company.status).toBe(201);
    const { id: companyId } = company.json<{ id: string }>();
    const createAudit = (ask: Ask) =>
      ask('/v1/audits', { token: otherToken(), body: { ...AUDIT, companyId } });
    let upgraded = false;
    const clients = [read, write, repeat, createAudit, createAudit].map(async (request) => {
      while (!upgraded) {
        const { status } = await request(askOld);
        during.set(status, (during.get(status) ?? 0) + 1);
      }
    });
    newNode = await startSvcd(env);
    askNew = askAt(newNode.url);
    upgraded = true;
    await Promise.all(clients);
  }, TIMEOUT_MS);

  const token = (): string => tokenOf(recorded, 'write');
  /** The key of a workspace without any other recorded data. */
  const otherToken = (): string => joinToken(recorded.others[0]?.key ?? { mode: '', secret: '' });
  const read = (ask: Ask) => ask('/v1/audits?limit=5', { token: token() });
  const write = (ask: Ask) => ask('/v1/companies', { token: otherToken(), body: COMPANY });
  const post = (ask: Ask, name: string, path: string, body: unknown, of = token()) =>
    ask(path, { token: of, headers: { 'idempotency-key': name }, body });
  const repeat = (ask: Ask) => post(ask, 'during', '/v1/companies', COMPANY, otherToken());

  test('has responded while the migrations ran, or has refused with 503', () => {
    process.stdout.write(`answers of the old node during the upgrade: ${JSON.stringify([...during])}\n`);
    expect([...during.keys()].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
  });

  test('leaves the new node what it has done: keys, cursors, idempotent writes', async () => {
    await checkKeys(askNew, recorded);
    for (const pages of recorded.pages) await checkPages(askNew, tokenOf(recorded, 'live'), pages);
    await checkRepeats(askNew, recorded);
    expect((await repeat(askNew)).headers['idempotent-replayed']).toBe('true');
  });

  test('reads and writes at the same time as the new node, also with its cursors', async () => {
    const created = (await write(askOld)).json<{ id: string }>();
    expect((await askNew(`/v1/companies/${created.id}`, { token: otherToken() })).json()).toEqual(created);
    const { pagination } = (await read(askNew)).json<Page>();
    const following = `/v1/audits?limit=5&cursor=${pagination.nextCursor}`;
    const [byOld, byNew] = [
      (await askOld(following, { token: token() })).json<Page>().data,
      (await askNew(following, { token: token() })).json<Page>().data,
    ];
    expect(byOld).toHaveLength(5);
    expect(byOld).toEqual(byNew);
  });

  test.each([
    ['write', '/v1/audits', AUDIT],
    ['write', '/v1/audits/batch', { data: [AUDIT, AUDIT] }],
    ['limitedWrite', '/v1/audits', AUDIT],
  ] as const)('does nothing with an Idempotency-Key: %s %s', async (key, path, body) => {
    const [of, name] = [tokenOf(recorded, key), `${key} ${path}`.replace(' ', '-')];
    const refused = await post(askOld, name, path, body, of);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(oldNode.stdout()).toContain('Start the newer program.');
    const first = await post(askNew, name, path, body, of);
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect((await post(askOld, name, path, body, of)).status).toBe(503);
    expect((await post(askNew, name, path, body, of)).text).toBe(first.text);
  });

  test('lets nobody in by a second factor, which the new node does', async () => {
    const entered = await signIn(askOld, 'verify-totp', totpCode(recorded.totpUri, 1));
    expect(entered.status).toBe(500);
    await checkSecondFactor(askNew, recorded);
  });

  test('does not start again, and says why in one line', async () => {
    await oldNode.stop();
    const { code, stderr } = await runSvcd(['start'], { env: { ...env, SVC_PORT: '0' }, program });
    expect(stderr).toMatch(TOO_OLD);
    expect(code).toBe(1);
    await expectClean(env, newNode.url);
  });
});
