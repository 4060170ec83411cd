import type { Change } from '@svc/sdk';
import { schemaOf, WORKSPACE_EVENTS } from '@svc/sdk/contract';
import { createRounds } from '@svc/turns/rounds';
import type pg from 'pg';
import { expect } from 'vitest';
import { publishEvents as publish } from '../../src/changes/publish-events.ts';
import { schemaViolations } from '../openapi/response-check.ts';

/** Expects that the record of an event of the workspace has exactly the fields of the contract, with allowed values. */
export function expectContract({ type, resource, record }: Change): void {
  if (resource !== 'workspace') throw new Error(`${type} is not an event of the workspace`);
  const { fields } = WORKSPACE_EVENTS[type];
  const values = Object.entries(record);
  expect(values.map(([name]) => name)).toEqual(Object.keys(fields));
  for (const [name, field] of Object.entries(fields))
    expect(schemaViolations(schemaOf(field), Object.fromEntries(values)[name]), name).toEqual([]);
}

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
