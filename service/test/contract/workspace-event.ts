import type { Change } from '@svc/sdk';
import { schemaOf, WORKSPACE_EVENTS } from '@svc/sdk/contract';
import { expect } from 'vitest';
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
