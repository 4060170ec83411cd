import { ApiError } from '../../http/errors.ts';
import { IMPORT_RETRY_SECONDS, IMPORTS_MAX, IMPORTS_PER_WORKSPACE_MAX } from '../limits.ts';

/** Bounds the imports that one process runs at once, in all and per workspace: each of them takes memory. */
export interface ImportSlots {
  /** Takes a slot; returns what gives it back. Throws when there is none: 429 for the workspace's own, else 503. */
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
