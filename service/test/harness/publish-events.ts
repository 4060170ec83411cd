import { createRounds } from '@svc/turns/rounds';
import type pg from 'pg';
import { publishEvents as publish } from '../../src/changes/publish-events.ts';

/** Publishes the events that wait, once. Returns the workspaces that were announced. */
export async function publishEvents(
  pool: pg.Pool,
  onFailure: (error: unknown, workspaceId: string) => unknown = () => undefined,
  rounds = createRounds(),
): Promise<readonly string[]> {
  const announced: string[] = [];
  await publish(pool, (ids) => announced.push(...ids), onFailure, rounds);
  return announced;
}
