import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type Target, write } from '../bench.ts';
import type { ProcessTree } from '../measure/processes.ts';
import type { Sample } from '../measure/rounds.ts';
import { audit, auditLines, idOf, newSeries } from '../target/records.ts';
import { importAudits, type Workspace } from '../target/workspaces.ts';

/** Ways to write many audits. */

const BATCH_RECORDS = 1_000;
const BATCH_CONNECTIONS = 4;
const MS_PER_SECOND = 1_000;
const TENTHS = 10;
/** Records that this process makes before the command reads the first one: they wait in the pipe. */
const WAITING_RECORDS = 2 * BATCH_RECORDS;

const NOT_MEASURED = {
  p50Ms: Number.NaN,
  p95Ms: Number.NaN,
  p99Ms: Number.NaN,
  nodeUs: Number.NaN,
  postgresUs: Number.NaN,
} as const;

/** The processes of a command: all that this process has started, without the service. */
const commandTree = ({ service }: Target): ProcessTree => ({ root: process.pid, without: service.pid });

/** `svcd import` of a file. */
export async function importFile(target: Target, workspace: Workspace, audits: number) {
  const path = join(target.installation.folder, 'audits.ndjson');
  const lines = auditLines(audits, workspace.companies);
  await pipeline(Readable.from(lines), createWriteStream(path));
  let peakMemoryMb = 0;
  const sample = await target.measureWork(async () => {
    const report = await importAudits(target.installation, workspace.id, path);
    peakMemoryMb = report.peakMemoryMb;
    return { requests: audits, seconds: report.seconds };
  }, commandTree(target));
  return { sample, peakMemoryMb };
}

/**
 * `svcd import` of a pipe. It reads each tenth of the file when the one before is written, up to a few batches. The first
 * tenth begins when the command reads, so that the start of the command does not make it slower.
 */
export async function importInTenths(target: Target, workspace: Workspace, audits: number) {
  const tenths: Sample[] = [];
  const size = Math.ceil(audits / TENTHS);
  let begun = performance.now();
  let read = 0;
  let counted = 0;
  function* lines(): Generator<string> {
    for (const chunk of auditLines(audits, workspace.companies)) {
      yield chunk;
      read += Math.min(BATCH_RECORDS, audits - read);
      const isComplete = read >= (tenths.length + 1) * size || read === audits;
      if (isComplete) {
        const rate = ((read - counted) * MS_PER_SECOND) / (performance.now() - begun);
        tenths.push({ rate, ...NOT_MEASURED });
      }
      if (!isComplete && read > WAITING_RECORDS) continue;
      begun = performance.now();
      counted = read;
    }
  }
  const { peakMemoryMb } = await importAudits(target.installation, workspace.id, lines());
  return { tenths, peakMemoryMb };
}

/** A plain COPY of the audits of one workspace into another, in the order in which they were written. */
export async function copyRows(
  { database: { client }, measureWork }: Target,
  from: Workspace,
  to: Workspace,
) {
  const { rows: found } = await client.query<{ columns: string }>(
    `select string_agg(attname, ', ' order by attnum) as columns from pg_attribute
     where attrelid = 'audits'::regclass and attnum > 0 and attgenerated = ''`,
  );
  const columns = found[0]?.columns ?? '';
  const source = client.query(
    copyTo(
      `copy (select ${columns} from audits where workspace_id = '${from.id}' order by created_at) to stdout`,
    ),
  );
  const rows = (await text(source)).replaceAll(`${from.id}\t`, `${to.id}\t`);
  const lines = rows.split('\n').length - 1;
  return measureWork(async () => {
    const begun = performance.now();
    await pipeline(
      Readable.from([rows], { objectMode: false }),
      client.query(copyFrom(`copy audits (${columns}) from stdin`)),
    );
    return { requests: lines, seconds: (performance.now() - begun) / MS_PER_SECOND };
  });
}

/** `POST /v1/audits/batch`, over a few connections. */
export async function sendBatches(target: Target, workspace: Workspace, audits: number): Promise<Sample> {
  const series = newSeries();
  const count = Math.ceil(audits / BATCH_RECORDS);
  const requests = Array.from({ length: count }, (_, batch) => {
    const first = batch * BATCH_RECORDS;
    const data = Array.from({ length: BATCH_RECORDS }, (_, i) => ({
      id: idOf('aud', series, first + i),
      ...audit(first + i, workspace.companies),
    }));
    return write('/v1/audits/batch', workspace, { data });
  });
  const sample = await target.measure({
    connections: Math.min(BATCH_CONNECTIONS, count),
    requests,
    duration: { amount: count },
  });
  // Rates and CPU time are those of records.
  return {
    ...sample,
    rate: sample.rate * BATCH_RECORDS,
    nodeUs: sample.nodeUs / BATCH_RECORDS,
    postgresUs: sample.postgresUs / BATCH_RECORDS,
  };
}
