import { EVENT_PLANTS } from './events/plants.ts';
import type { Plant } from './plant.ts';

const RECORD_PLANTS: readonly Plant[] = [
  {
    name: 'late entry: the answer leaves before its audit entry is committed',
    file: 'api/audit-hook.ts',
    replace: 'auditWriter.append(',
    by: 'appendLater(auditWriter, ',
    append: `function appendLater(auditWriter, record) {
      setTimeout(() => void auditWriter.append(record).catch(() => undefined), 400);
      return Promise.resolve({ result: 'recorded', quota: null });
    }`,
    faults: ['kill a worker', 'kill a node'],
    found: /has no entry$/,
  },
  {
    name: 'cached revocation: the audit entry no longer confirms the key',
    file: 'audit-log/append-requests.ts',
    replace: 'log.keys_version = wanted.keys_version',
    by: 'true',
    faults: [],
    found: /was let in after its end/,
  },
  {
    name: 'unlocked clock: records take their time without locking the clock',
    file: 'changes/clock.ts',
    replace: `update workspace_clocks
    set last_at = \${plusMicroseconds(\`greatest(statement_timestamp(), \${NEXT})\`, '($2::int - 1)')}
    where workspace_id = $1 returning last_at`,
    by: `select clock_timestamp() + ($2::int - 1) * interval '1 microsecond' as last_at
    from workspace_clocks where workspace_id = $1`,
    faults: [],
    found: /a tail of audits skips|a walk skips/,
  },
  {
    name: 'lost change: one write of five is not in the feed',
    file: 'records/counters.ts',
    replace: 'rows: changeColumns(changes)',
    by: 'rows: changeColumns(Math.random() < 0.2 ? [] : changes)',
    faults: [],
    found: /a copy of \w+ (lacks|still has|has an old)/,
  },
  {
    name: 'lost quota: one request of five is not counted',
    file: 'audit-log/append-requests.ts',
    replace: 'requests.filter(({ counted }) => counted)',
    by: 'requests.filter(({ counted }) => counted && Math.random() > 0.2)',
    faults: [],
    found: /its meter says|used \d+ of a quota/,
  },
  {
    name: 'skipped commit: one write of ten is rolled back and answered as done',
    file: 'api/writes.ts',
    replace: 'await inTransaction(',
    by: 'await (Math.random() < 0.1 ? rolledBack : inTransaction)(',
    append: `async function rolledBack(connections, work) {
      let result;
      const undone = new Error('rolled back');
      await inTransaction(connections, async (client) => {
        result = await work(client);
        throw undone;
      }).catch((error) => {
        if (error !== undone) throw error;
      });
      return result;
    }`,
    faults: [],
    found: /acknowledged records are missing|has no entry$/,
  },
];

export const PLANTS: readonly Plant[] = [...RECORD_PLANTS, ...EVENT_PLANTS];

const COMMIT_OF_A_MIGRATION = 'await commit(client);';

/** The service ends by kill -9 when all statements of a migration have run, before it commits. */
export const killAtMigration = (number: number): Pick<Plant, 'name' | 'file' | 'replace' | 'by'> => ({
  name: `kill at migration ${number}`,
  file: 'database/migrate.ts',
  replace: COMMIT_OF_A_MIGRATION,
  by: `if (file.number === ${number}) process.kill(process.pid, 'SIGKILL'); ${COMMIT_OF_A_MIGRATION}`,
});
