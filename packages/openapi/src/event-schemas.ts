import {
  type CompleteResource,
  type JsonSchema,
  WORKSPACE_EVENT_TYPES,
  WORKSPACE_EVENTS,
  type WorkspaceEventType,
} from '@svc/sdk/contract';
import { describedSchema, objectSchema } from './fields.ts';
import { reference } from './types.ts';

/** The schemas of the records of changes: those of resources, and the data of events of the workspace. */

const eventOf = (type: WorkspaceEventType) => WORKSPACE_EVENTS[type];

/** The schemas of the data of events of the workspace, by name. Some events have the record of a resource. */
export const eventSchemas = (resources: readonly CompleteResource[]): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    WORKSPACE_EVENT_TYPES.filter(
      (type) => !resources.some((resource) => resource.type === eventOf(type).recordType),
    ).map((type) => [
      eventOf(type).recordType,
      objectSchema(`The \`record\` of \`${type}\`. ${eventOf(type).description}`, eventOf(type).fields),
    ]),
  );

/** The schema of the `record` of a change. A client must accept those of types that it does not know. */
export function changeRecordSchema(resources: readonly CompleteResource[]): JsonSchema {
  const names = [
    ...resources.filter(({ writable }) => writable).map(({ type }) => type),
    ...WORKSPACE_EVENT_TYPES.map((type) => eventOf(type).recordType),
  ];
  const change = resources.find(({ positions }) => positions === true)?.fields['record'];
  if (change === undefined) throw new Error('no resource has changes');
  const { description, examples } = describedSchema(change);
  return {
    description,
    examples,
    anyOf: [
      ...[...new Set(names)].map((name) => reference('schemas', name)),
      { type: 'null' },
      { type: 'object' },
    ],
  };
}
