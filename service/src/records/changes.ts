import type { Micros } from '@svc/exact-times/micros';
import type { Change } from '@svc/packed-changes';
import { eventTypeOf } from '@svc/sdk/contract';
import type { Resource } from '../resources/define.ts';
import type { RecordInput, RecordValues } from './row.ts';

/** A record that was written. */
interface Written {
  readonly at: Micros;
  readonly id: string;
  /** Its wire JSON. */
  readonly doc: string;
  /** Its values, or at least that of the company. */
  readonly values: RecordInput;
}

const companyOf = ({ company }: Resource, id: string, values: RecordInput): string | null =>
  company === null ? null : company === 'id' ? id : String(values[company]);

/** The change of the feed for a new record. The feed reads a record that never changes where it is stored. */
export const creationOf = (resource: Resource, { at, id, doc, values }: Written): Change => ({
  at,
  type: eventTypeOf(resource, 'created'),
  recordId: id,
  companyId: companyOf(resource, id, values),
  ...(resource.immutable ? {} : { doc }),
});

/** The change of the feed for a record that has new values. */
export function updateOf(resource: Resource, { at, id, doc, values }: Written, before: RecordValues): Change {
  const companyId = companyOf(resource, id, values);
  const left = companyOf(resource, id, before);
  return {
    at,
    type: eventTypeOf(resource, 'updated'),
    recordId: id,
    companyId,
    doc,
    changed: Object.keys(values).filter((name) => values[name] !== before[name]),
    ...(left === null || left === companyId ? {} : { leftCompanyId: left }),
  };
}

/** The change of the feed for a record that is deleted. */
export const deletionOf = (resource: Resource, at: Micros, id: string, values: RecordValues): Change => ({
  at,
  type: eventTypeOf(resource, 'deleted'),
  recordId: id,
  companyId: companyOf(resource, id, values),
  doc: null,
});
