import { dataDirectory } from '@svc/embedded-postgres/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { runSvcd, type ServiceProcess, startSvcd } from '../harness/process.ts';
import { type Ask, askAt } from './ask.ts';
import {
  checkInvitation,
  checkKeys,
  checkOthers,
  checkPages,
  checkRepeats,
  checkSecondFactor,
  checkSession,
} from './checks.ts';
import {
  bootstrap,
  expectClean,
  importAudits,
  memoryMibOf,
  secondsSince,
  TOO_OLD,
  writeUntilFailure,
} from './deployment.ts';
import { fillRelease } from './fill.ts';
import { killAtEachMigration } from './kill-at-migration.ts';
import { joinToken, type RecordedNow, tokenOf } from './recorded.ts';
import { installRelease, RELEASE } from './release.ts';

// The real release creates data directories and ends. Then this version uses them.

/** What `svcd import` loads in a second on two cores. */
const AUDITS_PER_SECOND = 25_000;
const MOST_AUDITS = 1_000_000;
const AUDITS = Math.min(Number(process.env['PROVE_SECONDS'] ?? 40) * AUDITS_PER_SECOND, MOST_AUDITS);
const FEW_AUDITS = 1_000;
const TIMEOUT_MS = 1_200_000;
const program = await installRelease();
const report = (text: string): void => void process.stdout.write(`${text}\n`);

describe.each([
  { end: 'SIGTERM', audits: FEW_AUDITS },
  { end: 'SIGKILL', audits: AUDITS },
] as const)(
  `a data directory of ${RELEASE.version} with $audits audits, ended by $end,`,
  ({ end, audits }) => {
    let env: { readonly SVC_DATA_DIR: string };
    let recorded: RecordedNow;
    let written: readonly string[];
    let service: ServiceProcess;
    let ask: Ask;

    beforeAll(async () => {
      env = { SVC_DATA_DIR: await dataDirectory() };
      const old = await startSvcd(env, { program });
      const [small, large] = [await bootstrap(env, 'Small', program), await bootstrap(env, 'Large', program)];
      const begun = performance.now();
      await importAudits(env, large, audits, program);
      report(`${RELEASE.version} imported ${audits} audits in ${secondsSince(begun)} s`);
      recorded = await fillRelease(askAt(old.url), small, [large]);
      const key = recorded.others[0]?.key;
      if (key === undefined) throw new Error('the large workspace has no key');
      const writing = writeUntilFailure(askAt(old.url), joinToken(key));
      await writing.begun;
      const exit = await old.stop(end);
      expect(exit, old.stderr()).toMatchObject(end === 'SIGKILL' ? { signal: end } : { code: 0 });
      written = await writing.ids;
    }, TIMEOUT_MS);

    test('is upgraded by the first start, or by the next when that is killed in a migration', {
      timeout: TIMEOUT_MS,
    }, async () => {
      if (end === 'SIGKILL') {
        const begun = performance.now();
        const kills = await killAtEachMigration(env.SVC_DATA_DIR);
        report(`killed in each of ${kills} migrations: ${secondsSince(begun)} s`);
      }
      const begun = performance.now();
      service = await startSvcd({ ...env, SVC_LOG_LEVEL: 'info' });
      ask = askAt(service.url);
      const applied = service.stdout().match(/applied migration/g) ?? [];
      expect(applied.length).toBeGreaterThan(0);
      report(`first start with ${applied.length} migrations: ${secondsSince(begun)} s`);
    });

    test('knows its keys: live, test, for writing, of one company, rotated, revoked', () =>
      checkKeys(ask, recorded));

    test('continues from its cursors, in both directions', async () => {
      for (const pages of recorded.pages) await checkPages(ask, tokenOf(recorded, 'live'), pages);
    });

    test('returns the stored responses to repeated idempotent writes', () => checkRepeats(ask, recorded));

    test('has every record, and what was written last', () => checkOthers(ask, recorded, written));

    test('keeps a person signed in', () =>
      checkSession(
        ask,
        Object.entries(recorded.session)
          .map((pair) => pair.join('='))
          .join('; '),
      ));

    test('lets its owner in with the second factor, and with a backup code once', () =>
      checkSecondFactor(ask, recorded));

    test('lets a person in who was invited before', () => checkInvitation(ask, recorded));

    test('passes svcd verify and svcd doctor', { timeout: TIMEOUT_MS }, async () => {
      const begun = performance.now();
      await expectClean(env, service.url);
      report(`verify and doctor: ${secondsSince(begun)} s; service: ${await memoryMibOf(service.pid)} MiB`);
    });

    test('is refused by the earlier release, which changes nothing', { timeout: TIMEOUT_MS }, async () => {
      const beside = await runSvcd(['start'], { env: { ...env, SVC_PORT: '0' }, program });
      expect(beside.stderr).toContain('is in use by svcd start');
      expect(beside.code).toBe(1);
      await service.stop();
      const after = await runSvcd(['start'], { env: { ...env, SVC_PORT: '0' }, program });
      expect(after.stderr).toMatch(TOO_OLD);
      expect(after.code).toBe(1);
      const again = await startSvcd(env);
      await checkKeys(askAt(again.url), recorded);
      await again.stop();
    });
  },
);
