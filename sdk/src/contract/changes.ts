import type { AuditLogValue } from './audit-log-kinds.ts';
import { type EventTypeOf, type RecordEventType, recordEventTypes } from './events.ts';
import type { ChoiceField, NewerValue, Simplify, Wire } from './field.ts';
import { companyId, defineResource, type ResourceContract } from './resource.ts';
import {
  WORKSPACE_EVENT_RESOURCE,
  WORKSPACE_EVENT_TYPES,
  type WorkspaceEventRecord,
  type WorkspaceEventType,
} from './workspace-events.ts';

/** The change feed of resources: what happened to their records, and to the workspace, in the order of the commits. */
export function changesOf<const R extends ResourceContract>(records: readonly R[]) {
  const types: readonly (RecordEventType<R> | WorkspaceEventType)[] = [
    ...recordEventTypes(records),
    ...WORKSPACE_EVENT_TYPES,
  ];
  const names: readonly (R['name'] | typeof WORKSPACE_EVENT_RESOURCE)[] = [
    ...records.map(({ name }) => name),
    WORKSPACE_EVENT_RESOURCE,
  ];
  const type = {
    kind: 'choice',
    values: types,
    description: 'What happened.',
    example: 'content.updated',
  } as const satisfies ChoiceField;
  const resource = {
    kind: 'choice',
    values: names,
    description: 'Resource of the record, or `workspace` for an event of the workspace.',
    example: EXAMPLE_RESOURCE,
  } as const satisfies ChoiceField;
  return defineResource({
    name: 'changes',
    singular: 'change',
    plural: 'changes',
    description: 'A change of a record, or an event of the workspace.',
    idPrefix: 'chg',
    fields: {
      id: {
        kind: 'id',
        description: 'Change identifier. Later changes of a workspace have ids that sort after it.',
        example: 'chg_01k0vx2m4q9a5h3n8c2r6t7w1b',
      },
      type: { ...type, open: true },
      resource: { ...resource, open: true },
      recordId: {
        kind: 'id',
        description: 'Identifier of the record, or of what the event is about.',
        example: 'con_01jq4d3b7xe9ys4k8w1vn5r2qe',
      },
      companyId: { ...companyId, nullable: true, description: 'Company of the record. Null: it has none.' },
      createdAt: {
        kind: 'time',
        description:
          'When the change was committed. Each change of a workspace has a later time than all before.',
        example: '2026-03-01T09:30:00.123456Z',
      },
      record: {
        kind: 'values',
        nullable: true,
        description:
          'The record directly after this change. Null: the record was deleted. For an event of the workspace, its data.',
        example: exampleOf(records.find(({ name }) => name === EXAMPLE_RESOURCE)),
      },
      changed: {
        kind: 'ids',
        mayBeAbsent: true,
        description: 'Names of the fields that changed. Present on updates.',
        example: ['status', 'updatedAt', 'publishedAt'],
      },
    },
    company: 'companyId',
    sorts: {},
    filters: { resource, type, companyId },
    // A row of the feed has many changes, which are compared one by one.
    indexes: { created: [] },
    positions: true,
  });
}

/** The resource of the change that is an example. */
const EXAMPLE_RESOURCE = 'content';

const exampleOf = (resource: ResourceContract | undefined): Readonly<Record<string, AuditLogValue>> =>
  Object.fromEntries(
    Object.entries(resource?.fields ?? {}).map(([name, { example }]) => [name, example as AuditLogValue]),
  );

interface ChangeParts {
  /** Also the position after this change. */
  readonly id: string;
  readonly recordId: string;
  readonly createdAt: string;
}

type RecordAfter<R, Write> = Write extends 'delete' ? null : Wire<R>;

/** `changed` has the names of the changed fields. */
type Changed<Write> = Write extends 'update'
  ? { readonly changed: readonly string[] }
  : { readonly changed?: undefined };

type ChangeBy<
  R extends ResourceContract,
  Write extends 'create' | 'update' | 'delete',
> = Write extends unknown
  ? Simplify<
      ChangeParts & {
        readonly type: EventTypeOf<R, Write>;
        readonly resource: R['name'];
        readonly companyId: R['company'] extends string ? string : null;
        readonly record: RecordAfter<R, Write>;
      } & Changed<Write>
    >
  : never;

type WorkspaceChange = {
  [Type in WorkspaceEventType]: Simplify<
    ChangeParts & {
      readonly type: Type;
      readonly resource: typeof WORKSPACE_EVENT_RESOURCE;
      readonly companyId: string | null;
      /** The data of the event. */
      readonly record: WorkspaceEventRecord<Type>;
    } & Changed<'create'>
  >;
}[WorkspaceEventType];

type RecordChange<R> = R extends ResourceContract & { readonly writes: readonly (infer Write)[] }
  ? ChangeBy<R, Write & ('create' | 'update' | 'delete')>
  : never;

/** A change of a type that a newer version of the service has added. */
type NewerChange = Simplify<
  ChangeParts & {
    readonly type: NewerValue;
    readonly resource: NewerValue;
    readonly companyId: string | null;
    readonly record: Readonly<Record<string, unknown>> | null;
    readonly changed?: readonly string[];
  }
>;

/** The JSON type of the changes of resources. Its `type` and its `resource` each decide what the other fields are. */
export type ChangeOf<R> = RecordChange<R> | WorkspaceChange | NewerChange;
