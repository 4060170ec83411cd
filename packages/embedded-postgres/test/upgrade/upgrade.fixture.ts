import pg from 'pg';
import { pino } from 'pino';
import { upgradeEmbedded } from '../../src/index.ts';

// A process that upgrades a data directory: `node upgrade.fixture.ts <data directory> [directory of old programs]`. Prints a
// JSON line per message: its log, its phases, then {upgraded} or {refused}. A line on standard input has the effect of a
// signal.
const [dataDir = '', oldBinaries] = process.argv.slice(2);
// The upgrade kills this process, as by kill -9, when it reaches this step for the nth time.
const [killAt, times = '1'] = (process.env['KILL_AT'] ?? '').split('#');
/** What the copy does after the first row: `end`, `wait` without end, or `fail`. */
const copyMode = process.env['COPY'] ?? 'end';
const print = (value: unknown): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);
let seen = 0;
const write = (line: string): void => {
  process.stdout.write(line);
  const { step } = JSON.parse(line) as { step?: string };
  if (step !== undefined && step === killAt && ++seen === Number(times)) process.kill(process.pid, 'SIGKILL');
};
const log = pino({ base: null, timestamp: false, level: 'debug' }, { write });
const aborted = new AbortController();
process.stdin.once('data', () => aborted.abort(new Error('a signal')));

async function copy({ from, to }: { readonly from: string; readonly to: string }): Promise<void> {
  const [source, target] = [from, to].map((url) => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    return client;
  }) as [pg.Client, pg.Client];
  try {
    await Promise.all([source.connect(), target.connect()]);
    await target.query('create table kept (id int primary key)');
    const { rows } = await source.query<{ id: number }>('select id from kept order by id');
    for (const { id } of rows) {
      await target.query('insert into kept values ($1)', [id]);
      if (copyMode === 'fail') throw new Error('the copy failed');
      if (copyMode === 'wait') {
        print({ copying: true });
        await target.query('select pg_sleep(3600)');
      }
    }
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

try {
  const upgraded = await upgradeEmbedded({
    dataDir,
    oldBinaries,
    purpose: 'svcd upgrade-database',
    copy,
    onPhase: (phase) => print({ phase }),
    signal: aborted.signal,
    log,
  });
  print({ upgraded: upgraded ?? null });
} catch (error) {
  print({ refused: (error as Error).name, message: (error as Error).message });
}
process.stdin.destroy();
