import type { Connections } from '@svc/turns/lane';
import {
  endRun,
  type ImportRun,
  ImportTakenOver,
  OtherFile,
  RUN_LEASE_SECONDS,
  renewRun,
  startRun,
} from '../../../bulk/import-run.ts';
import { newId } from '../../../config/ids.ts';
import type { Clock } from '../../../config/time.ts';
import { inTransaction } from '../../../database/pool.ts';
import { ApiError } from '../../../http/errors.ts';
import type { Repeats } from '../../../keys/store.ts';
import { IMPORT_RETRY_SECONDS, IMPORTS_MAX, IMPORTS_PER_WORKSPACE_MAX } from '../../limits.ts';

/** How often a request that receives bytes renews its run. */
const RENEWAL_MS = (RUN_LEASE_SECONDS * 1000) / 3;

/** The run of a request: its part of the import that its Idempotency-Key names. */
export interface RunningImport {
  readonly run: ImportRun;
  /** Called when a part of the file arrives. While parts arrive, a repeat of the request is refused. */
  readonly alive: () => void;
  /** Called before the response, so that a repeat of the request may continue. */
  readonly end: () => Promise<void>;
}

/**
 * Starts the import of a new Idempotency-Key, or continues that of a known one. Throws `idempotency_in_progress` while
 * another request runs it.
 */
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
  let renewing: Promise<unknown> | undefined;
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

/** A run that could not be renewed or ended expires. */
const ignoringFailure = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);

/** Converts a failure of a run to its response. Returns any other error unchanged. */
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

/** Limits the imports that one process runs at the same time, in total and per workspace, because each needs memory. */
export interface ImportSlots {
  /**
   * Takes a slot; returns a function that frees it. Throws 429 if the workspace has no free slot, 503 if the process
   * has none.
   */
  readonly take: (workspaceId: string) => () => void;
}

export function createImportSlots(): ImportSlots {
  const running = new Map<string, number>();
  let total = 0;
  return {
    take(workspaceId) {
      const own = running.get(workspaceId) ?? 0;
      if (own >= IMPORTS_PER_WORKSPACE_MAX) {
        throw busy('rate_limited', 'This workspace is importing other files.');
      }
      if (total >= IMPORTS_MAX) throw busy('unavailable', 'The service is importing other files.');
      running.set(workspaceId, own + 1);
      total++;
      return () => {
        const left = (running.get(workspaceId) ?? 1) - 1;
        if (left === 0) running.delete(workspaceId);
        else running.set(workspaceId, left);
        total--;
      };
    },
  };
}

const busy = (code: 'rate_limited' | 'unavailable', message: string): ApiError =>
  new ApiError(code, `${message} Try again shortly.`, { 'retry-after': String(IMPORT_RETRY_SECONDS) });
