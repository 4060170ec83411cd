import { OtherFile } from '../../bulk/continuation.ts';
import {
  endRun,
  type ImportRun,
  ImportTakenOver,
  RUN_LEASE_SECONDS,
  renewRun,
  startRun,
} from '../../bulk/import-run.ts';
import { newId } from '../../config/ids.ts';
import type { Clock } from '../../config/time.ts';
import type { Connections } from '../../database/lane.ts';
import { inTransaction } from '../../database/pool.ts';
import { ApiError } from '../../http/errors.ts';
import type { Repeats } from '../../keys/store.ts';

/** How often a request that gets bytes says that it still imports. */
const RENEWAL_MS = (RUN_LEASE_SECONDS * 1000) / 3;

/** A request's run of the import that its Idempotency-Key names. */
export interface RunningImport {
  readonly run: ImportRun;
  /** To be called when a part of the file arrives: as long as some do, a repeat is refused. */
  readonly alive: () => void;
  /** Before the answer: then a repeat may continue. */
  readonly end: () => Promise<void>;
}

/** Starts the import of a new Idempotency-Key, or continues that of a known one. Throws while another request imports. */
export async function startImport(
  pool: Connections,
  workspaceId: string,
  repeats: Repeats,
  clock: Clock,
): Promise<RunningImport> {
  const run = await inTransaction(pool, async (client) => {
    const known = await repeats.find(client);
    const importId = known ?? newId('imp');
    const started = await startRun(client, workspaceId, importId);
    if (started === undefined) throw stillRunning();
    if (known === undefined) await repeats.keep(client, importId);
    return started;
  });
  let renewedAt = clock();
  let renewing: Promise<void> | undefined;
  return {
    run,
    alive() {
      if (renewing !== undefined || clock() < renewedAt + RENEWAL_MS) return;
      renewedAt = clock();
      renewing = ignoringFailure(renewRun(pool, run)).finally(() => {
        renewing = undefined;
      });
    },
    async end() {
      await renewing;
      await ignoringFailure(endRun(pool, run));
    },
  };
}

/** A run that was not renewed or ended ends by itself. */
const ignoringFailure = (work: Promise<void>): Promise<void> => work.catch(() => undefined);

/** A failure of a run as the person is told; others stay as they are. */
export function importFailure(error: unknown): unknown {
  if (error instanceof ImportTakenOver) return stillRunning();
  if (!(error instanceof OtherFile)) return error;
  return new ApiError(
    'idempotency_mismatch',
    `This Idempotency-Key belongs to another file, of which ${error.inserted} records are imported. ` +
      'Choose the file again to import it as a new one.',
  );
}

const stillRunning = (): ApiError =>
  new ApiError('idempotency_in_progress', 'This file is still being imported. Try again in a moment.', {
    'retry-after': String(RUN_LEASE_SECONDS),
  });
