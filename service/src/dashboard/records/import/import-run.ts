import { createPlaces } from '@svc/rate-limiter/places';
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
import { IMPORT_RETRY_SECONDS, IMPORTS_MAX, IMPORTS_PER_OWNER_MAX } from '../../limits.ts';

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
      // Also if the clock was set back.
      if (renewing !== undefined || Math.abs(clock() - renewedAt) < RENEWAL_MS) return;
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

/**
 * Limits the imports that a process runs at the same time, because each needs memory. The result takes a place, and returns
 * the function that frees it. It throws 429 if the workspace or the person has too many, and 503 if the process has.
 */
export function createImportPlaces(): (workspaceId: string, personId: string) => () => void {
  const places = createPlaces(IMPORTS_MAX);
  return (workspaceId, personId) => {
    const place = places.take([
      { name: workspaceId, most: IMPORTS_PER_OWNER_MAX },
      { name: personId, most: IMPORTS_PER_OWNER_MAX },
    ]);
    if (typeof place === 'function') return place;
    if (place === 'all') throw busy('unavailable', 'The service is importing other files.');
    const who = place.name === workspaceId ? 'This workspace is' : 'You are';
    throw busy('rate_limited', `${who} importing other files.`);
  };
}

const busy = (code: 'rate_limited' | 'unavailable', message: string): ApiError =>
  new ApiError(code, `${message} Try again shortly.`, { 'retry-after': String(IMPORT_RETRY_SECONDS) });
