import { createWorkspaces } from './dashboard.ts';
import { type Database, freezeStatistics } from './database.ts';
import type { Installation } from './installation.ts';
import { audit, auditLines, company, contentItem, mention, type NewRecord } from './records.ts';
import { type RunningService, runSvcd } from './svcd.ts';

export interface Workspace {
  readonly id: string;
  /** A live key that may write. */
  readonly token: string;
  readonly audits: number;
  readonly companies: number;
  /** Whether it is newer than the statistics. */
  readonly fresh: boolean;
}

export interface DataSize {
  readonly workspaces: number;
  /** The audits of the largest workspace, before `scale`. */
  readonly largest: number;
  /** The number of audits of every workspace is multiplied by this. */
  readonly scale: number;
}

const LARGE_AUDITS = 100_000;
const LARGE_WORKSPACES = 10;
const SMALL_AUDITS = { least: 100, greatest: 5_000 } as const;
/** Spreads the sizes of small workspaces, the same way every time. */
const SMALL_STEP = 1_117;
/** Every workspace has more than a page of audits. */
const AUDITS_MIN = 100;
const COMPANIES_MAX = 100;
/** The mentions and the content items of a workspace, for each audit. */
const OTHERS_PER_AUDIT = 0.05;
const BATCH_RECORDS = 1_000;
/** Larger workspaces are imported from a file. */
const BATCHED_AUDITS_MAX = 20_000;
const LOADED_AT_ONCE = 4;

/** The audits of the n-th workspace: the first one is the largest, and then come ten large ones. */
function auditsOf(n: number, { workspaces, largest, scale }: DataSize): number {
  const { least, greatest } = SMALL_AUDITS;
  const small = least + ((n * SMALL_STEP) % (greatest - least + 1));
  const isLarge = n <= Math.min(LARGE_WORKSPACES, workspaces / 2);
  return Math.max(AUDITS_MIN, Math.round((n === 0 ? largest : isLarge ? LARGE_AUDITS : small) * scale));
}

/**
 * Creates the workspaces, the larger ones first, and fills them. Every second one is filled after the statistics were
 * made.
 */
export async function fillWorkspaces(
  installation: Installation,
  service: RunningService,
  database: Database,
  size: DataSize,
): Promise<readonly Workspace[]> {
  const keys = await createWorkspaces(installation, service, size.workspaces);
  const workspaces = keys.map(({ workspaceId, token }, n): Workspace => {
    const audits = auditsOf(n, size);
    return {
      id: workspaceId,
      token,
      audits,
      companies: Math.min(COMPANIES_MAX, Math.ceil(audits / 10)),
      fresh: n % 2 === 1,
    };
  });
  for (const fresh of [false, true]) {
    const waiting = workspaces.filter((workspace) => workspace.fresh === fresh);
    const fillNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        await fill(installation, service, next);
    };
    const fills = await Promise.allSettled(Array.from({ length: LOADED_AT_ONCE }, fillNext));
    for (const result of fills) if (result.status === 'rejected') throw result.reason;
    if (!fresh) await freezeStatistics(database);
  }
  await database.client.query('vacuum');
  return workspaces;
}

async function fill(
  installation: Installation,
  { origin }: RunningService,
  { id, token, audits, companies }: Workspace,
): Promise<void> {
  const create = async (resource: string, count: number, record: (n: number) => NewRecord): Promise<void> => {
    for (let done = 0; done < count; done += BATCH_RECORDS) {
      const length = Math.min(BATCH_RECORDS, count - done);
      await postBatch(
        origin,
        token,
        resource,
        Array.from({ length }, (_, i) => record(done + i)),
      );
    }
  };
  await create('companies', companies, company);
  if (audits > BATCHED_AUDITS_MAX) await importAudits(installation, id, auditLines(audits, companies));
  else await create('audits', audits, (n) => audit(n, companies));
  const others = Math.ceil(audits * OTHERS_PER_AUDIT);
  await create('mentions', others, (n) => mention(n, companies));
  await create('content', others, (n) => contentItem(n, companies));
}

async function postBatch(
  origin: string,
  token: string,
  resource: string,
  data: readonly NewRecord[],
): Promise<void> {
  const response = await fetch(`${origin}/v1/${resource}/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ data }),
  });
  if (!response.ok) throw new Error(`${resource}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

/** Runs `svcd import` of a file, or of lines on its standard input. */
export async function importAudits(
  installation: Installation,
  workspaceId: string,
  source: string | Iterable<string>,
  resource = 'audits',
): Promise<{ readonly seconds: number; readonly peakMemoryMb: number }> {
  const [file, lines] = typeof source === 'string' ? [source, []] : ['-', source];
  const args = ['import', resource, file, '--format', 'ndjson', '--workspace', workspaceId, '--json'];
  const { stdout, peakMemoryMb } = await runSvcd(installation, args, lines);
  return { seconds: (JSON.parse(stdout) as { readonly seconds: number }).seconds, peakMemoryMb };
}

/** Creates new workspaces with companies, but without audits. */
export async function createFilled(
  installation: Installation,
  service: RunningService,
  count: number,
  companies: number,
): Promise<readonly Workspace[]> {
  const keys = await createWorkspaces(installation, service, count);
  const workspaces = keys.map(
    ({ workspaceId, token }): Workspace => ({ id: workspaceId, token, audits: 0, companies, fresh: true }),
  );
  for (const workspace of workspaces) await fill(installation, service, workspace);
  return workspaces;
}

/** So many workspaces, evenly of all sizes and ages, the largest first. */
export const spreadOver = (workspaces: readonly Workspace[], count: number): readonly Workspace[] =>
  Array.from(
    { length: Math.min(count, workspaces.length) },
    (_, i) => workspaces[Math.floor((i * workspaces.length) / count)] ?? [],
  ).flat();
