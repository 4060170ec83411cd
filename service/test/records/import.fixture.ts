import { OPERATOR } from '../../src/audit-log/actor.ts';
import { importRecords } from '../../src/bulk/import.ts';
import { createPool } from '../../src/database/pool.ts';
import { audits } from '../../src/resources/index.ts';

// A process that imports audits as NDJSON from standard input: `node import.fixture.ts <database url> <workspace>`.
// Prints one JSON line for each batch that is committed, with the most memory it has had, in MiB.
const [url = '', workspaceId = ''] = process.argv.slice(2);
const KIB_PER_MIB = 1024;

const pool = createPool({ url, max: 2, name: 'import fixture', onError: () => undefined });
const report = await importRecords({
  pool,
  workspaceId,
  resource: audits,
  input: process.stdin,
  by: OPERATOR,
  format: 'ndjson',
  parallel: true,
  onProgress: ({ inserted, existing, refused }) => {
    const memoryMib = Math.round(process.resourceUsage().maxRSS / KIB_PER_MIB);
    process.stdout.write(`${JSON.stringify({ inserted, existing, refused, memoryMib })}\n`);
  },
});
process.stdout.write(`${JSON.stringify({ done: true, ...report })}\n`);
await pool.end();
