import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FAILURES_MAX, STATEMENT_TIMEOUT_MS, STATEMENTS_PER_OWNER_MAX } from '@svc/pipelined-postgres/limits';
import type { Lane } from '@svc/turns/lane';
import { describe, expect, test } from 'vitest';
import { onFileEnd } from '../../../test/harness/cleanup.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { type DatabaseProxy, startProxy } from '../../../test/harness/postgres/proxy.ts';
import { errorCode } from '../../config/errors.ts';
import { CONNECTIONS_MIN } from '../../config/limits.ts';
import { isUnavailable } from '../errors.ts';
import { createLanes } from '../lanes.ts';
import { type BoundStatement, preparedStatement, preparedStatements, statement } from '../statement.ts';

const { pool, url } = await createTestDatabase();
await pool.query('create table locked (n int); insert into locked values (1)');

/** The statement timeout tells the pipelined connection from those of the lane. */
const SELECT_TIMEOUT = `select current_setting('statement_timeout') as timeout`;
const PIPELINED = `${STATEMENT_TIMEOUT_MS}ms`;
const ON_LANE = '5s';

const quick = preparedStatement('test_quick', 'request')`${SELECT_TIMEOUT}`;
const wait = preparedStatement('test_wait', 'request')`${SELECT_TIMEOUT}, pg_sleep($1)`;
const readLocked = preparedStatement('test_locked', 'request')`${SELECT_TIMEOUT} from locked`;

interface Reads {
  readonly lane: Lane;
  /** Why the pipelined connection was closed, each time. */
  readonly failures: readonly Error[];
}

function openReads(databaseUrl = url, connections = CONNECTIONS_MIN + 1): Reads {
  const failures: Error[] = [];
  const onError = (error: Error): void => void failures.push(error);
  const lanes = createLanes({ url: databaseUrl, name: 'test of the pipeline', onError }, connections);
  onFileEnd(() => lanes.end());
  return { lane: lanes.reads, failures };
}

/** Runs the statement for an owner. Returns the statement timeout of its connection. */
async function run(
  { lane }: Reads,
  owner: string,
  query: ReturnType<BoundStatement> = quick(),
): Promise<string | undefined> {
  const { rows } = await lane.of(owner).query<{ timeout: string }>(query);
  return rows[0]?.timeout;
}

const many = <T>(count: number, create: (n: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => create(n)));

const codesOf = ({ failures }: Reads): readonly (string | undefined)[] => failures.map(errorCode);

/** Locks the table while the work runs. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const holder = await pool.connect();
  try {
    await holder.query('begin; lock table locked in access exclusive mode');
    await work();
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

describe('prepared statements that their request bounds', () => {
  test('share one connection, and all others use the lane', async () => {
    const reads = openReads();
    expect(new Set(await many(100, (n) => run(reads, `${n}`)))).toEqual(new Set([PIPELINED]));
    const { rows } = await pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and application_name = 'test of the pipeline'`,
    );
    expect(rows).toHaveLength(1);

    const others = [
      statement('test_unprepared', 'request')`${SELECT_TIMEOUT}`,
      preparedStatement('test_bulk', 'bulk')`${SELECT_TIMEOUT}`,
      preparedStatement('test_background', 'background: a test')`${SELECT_TIMEOUT}`,
    ];
    for (const other of others) expect(await run(reads, 'any', other())).toBe(ON_LANE);
    const client = await reads.lane.of('any').connect();
    expect((await client.query(quick())).rows).toEqual([{ timeout: ON_LANE }]);
    client.release();
  });

  test('use the lane if the process has no connection beyond the fewest', async () => {
    expect(await run(openReads(url, CONNECTIONS_MIN), 'any')).toBe(ON_LANE);
  });

  test('fail with their own error, and the others go on', async () => {
    const reads = openReads();
    const divide = preparedStatement('test_divide', 'request')`select 1 / $1::int`;
    const [wrong, right] = await Promise.allSettled([run(reads, 'a', divide(0)), run(reads, 'b')]);
    expect(wrong).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
    expect(right).toEqual({ status: 'fulfilled', value: PIPELINED });
    expect(reads.failures).toEqual([]);
  });

  test('leave no results in memory until the whole heap is collected', async () => {
    setFlagsFromString('--expose-gc');
    const collect: NodeJS.GCFunction = runInNewContext('gc');
    const { lane } = openReads();
    const readText = preparedStatement('test_text', 'request')`select repeat('x', 20000)`;
    await collect({ type: 'major', execution: 'async' });
    const before = process.memoryUsage().heapUsed;
    const readMany = async (): Promise<void> => {
      for (let n = 0; n < 200; n++) await lane.of('any').query(readText());
    };
    await many(8, readMany);
    await collect({ type: 'minor', execution: 'async' });
    // All texts together have 32 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(8e6);
  });

  test('of a workspace with many requests leave room for others', async () => {
    const reads = openReads();
    await run(reads, 'polite');
    let answered = 0;
    const busy = many(500, async () => {
      await run(reads, 'busy');
      answered += 1;
    });
    await run(reads, 'polite');
    expect(answered).toBeLessThanOrEqual(2 * STATEMENTS_PER_OWNER_MAX);
    await busy;
    expect([answered, reads.lane.waiting]).toEqual([500, 0]);
  });
});

describe('a locked table', () => {
  // On a busy machine, the reads of the locked table can give up before the others have run.
  test('delays reads of other tables once, whatever the number of requests and workspaces', {
    retry: 2,
  }, async () => {
    const reads = openReads();
    await run(reads, 'any');
    const locked: Promise<unknown>[] = [];
    await whileLocked(async () => {
      for (const time of ['first', 'later']) {
        const owners = Array.from({ length: 40 }, (_, n) => `${time} ${n}`);
        locked.push(Promise.allSettled(owners.map((owner) => run(reads, owner, readLocked()))));
        expect(new Set(await many(40, (n) => run(reads, `other ${n}`)))).toEqual(new Set([PIPELINED]));
      }
      // So the reads of other tables have not waited until those of the locked table gave up.
      expect(await waitingForLocks(pool)).toBeGreaterThan(0);
      expect(codesOf(reads)).toEqual(['55P03']);
    });
    await Promise.all(locked);
  });

  test('has the same effect if its statement was never prepared before, and no read of it fails', async () => {
    const reads = openReads();
    await run(reads, 'any');
    let locked: Promise<readonly unknown[]> | undefined;
    await whileLocked(async () => {
      locked = many(10, (n) => run(reads, `${n}`, readLocked()));
      await expect.poll(() => reads.failures.length).toBe(1);
    });
    expect(new Set(await locked)).toEqual(new Set([ON_LANE]));
  });

  test('closes the connection a few times at most, then all reads use the lane for a while', async () => {
    const reads = openReads();
    const family = preparedStatements('test_locked_family', 'request');
    const locked: Promise<unknown>[] = [];
    let other: Promise<unknown> | undefined;
    await whileLocked(async () => {
      for (let n = 0; n <= FAILURES_MAX; n++) {
        const text = `${SELECT_TIMEOUT} from locked where n = ${n}`;
        locked.push(run(reads, `${n}`, family(`test_locked_${n}`, text)()));
        await expect.poll(() => reads.failures.length, { interval: 5 }).toBe(n + 1);
      }
      other = run(reads, 'other');
    });
    expect(await other).toBe(ON_LANE);
    await Promise.all(locked);
    await expect.poll(() => run(reads, 'other')).toBe(PIPELINED);
  });
});

describe('a workspace with slow statements', () => {
  test.each([
    ['that reach the time limit', 2 * STATEMENT_TIMEOUT_MS],
    ['that are shorter than the time limit', 0.4 * STATEMENT_TIMEOUT_MS],
  ])('uses the lane after statements %s, and delays others once', async (_, ms) => {
    const reads = openReads();
    await run(reads, 'other');
    const slow = many(8, () => run(reads, 'slow', wait(ms / 1000)));
    expect(new Set(await many(40, (n) => run(reads, `other ${n}`)))).toEqual(new Set([PIPELINED]));
    expect((await slow).at(-1)).toBe(ON_LANE);
    expect(reads.failures).toHaveLength(1);
    expect(await Promise.all([run(reads, 'slow'), run(reads, 'other')])).toEqual([ON_LANE, PIPELINED]);
    expect(await run(reads, 'slow', wait(ms / 1000))).toBe(ON_LANE);
    expect(reads.failures).toHaveLength(1);
  });
});

describe('a connection', () => {
  async function openThroughProxy(): Promise<{ readonly reads: Reads; readonly proxy: DatabaseProxy }> {
    const [, name = '', host = ''] = /@\/(\w+)\?host=(.*)$/.exec(url) ?? [];
    const proxy = await startProxy(`${decodeURIComponent(host)}/.s.PGSQL.5432`);
    onFileEnd(proxy.close);
    const reads = openReads(url.replace(/@\/.*$/, `@127.0.0.1:${proxy.port}/${name}`));
    await run(reads, 'any');
    return { reads, proxy };
  }

  test('that the server ends fails no read', async () => {
    const reads = openReads();
    await run(reads, 'any');
    const running = many(10, (n) => run(reads, `${n}`, wait(0.05)));
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test of the pipeline'
       and datname = current_database()`,
    );
    expect(await running).toHaveLength(10);
  });

  test('that loses all packets delays its reads once', async () => {
    const { reads, proxy } = await openThroughProxy();
    proxy.lose();
    // The owner of the first statement is suspected, because its statement could have been slow.
    const [first, ...others] = await many(20, (n) => run(reads, `${n}`));
    expect([first, new Set(others)]).toEqual([ON_LANE, new Set([PIPELINED])]);
    expect(codesOf(reads)).toEqual(['ETIMEDOUT']);
  });

  test('to a database that hangs fails its reads soon, and works when the database continues', async () => {
    const { reads, proxy } = await openThroughProxy();
    proxy.freeze();
    const refused = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => run(reads, `${n}`)));
    expect(refused.map((each) => each.status === 'rejected' && isUnavailable(each.reason))).toEqual(
      refused.map(() => true),
    );
    proxy.flow();
    await expect.poll(() => run(reads, 'any').catch(() => undefined), { timeout: 20_000 }).toBe(PIPELINED);
  }, 60_000);
});
