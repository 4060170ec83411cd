import { expect, test } from 'vitest';
import { createTestService } from '../harness/service.ts';
import { createWriteWorld } from '../writes/world.ts';
import { OPERATIONS } from './requests.ts';
import { fuzz } from './run.ts';

const SECONDS = Number(process.env['PROVE_SECONDS'] ?? 60);
const SEED = Number(process.env['PROVE_SEED'] ?? 1);
const REQUESTS_MIN = 20_000;
/** It goes on until each operation has succeeded, but not longer: some need several ids that exist at the same time. */
const REQUESTS_MAX = 200_000;
const FAULT_EVERY = 500;
/** Limits the time on a slow machine, even if fewer than `REQUESTS_MIN` requests were sent. */
const SECONDS_MAX = Math.max(SECONDS, 60) * 10;

/** The operations that have not succeeded yet. */
const never = (succeeded: ReadonlyMap<string, number>): readonly string[] =>
  OPERATIONS.map(({ operationId }) => operationId).filter((id) => !succeeded.has(id));

test(`every response to a request from the OpenAPI document is one that it describes, with seed ${SEED}`, {
  timeout: SECONDS_MAX * 2_000,
}, async () => {
  const world = await createWriteWorld(await createTestService());
  const { pool } = world.service;
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1_000;
  const report = await fuzz({
    world,
    seed: SEED,
    goOn: (requests, succeeded) => {
      const isDone = requests >= REQUESTS_MIN && seconds() >= SECONDS && never(succeeded).length === 0;
      return !isDone && requests < REQUESTS_MAX && seconds() < SECONDS_MAX;
    },
    fault: {
      every: FAULT_EVERY,
      // Like a restart of the database, it breaks all connections, even those in use.
      inject: () =>
        pool
          .query(
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
          )
          .catch(() => undefined),
    },
  });
  process.stdout.write(
    `${report.requests} requests in ${Math.round(seconds())} s, ${report.chained} by links: ${JSON.stringify(report.statuses)}\n`,
  );
  expect(report.requests).toBeGreaterThanOrEqual(REQUESTS_MIN);
  expect(never(report.succeeded)).toEqual([]);
});
