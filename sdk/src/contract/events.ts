import type { ResourceContract } from './resource.ts';

/** What a write does to a record, as the type of its change says it. */
const PAST = { create: 'created', update: 'updated', delete: 'deleted' } as const;
type Past = typeof PAST;
export type RecordEvent = Past[keyof Past];
export const RECORD_EVENTS: readonly RecordEvent[] = Object.values(PAST);

type Snake<Text extends string> = Text extends `${infer Start} ${infer End}`
  ? `${Lowercase<Start>}_${Snake<End>}`
  : Lowercase<Text>;
type NameOf<R> = R extends { readonly type: infer Type extends string }
  ? Snake<Type>
  : R extends { readonly singular: infer Singular extends string }
    ? Snake<Singular>
    : never;

/** The type of the change that a write makes: `content.updated`. */
export type EventTypeOf<R, Write extends keyof Past> = `${NameOf<R>}.${Past[Write]}`;

/** The types of the changes of a resource: `content.created`, `content.updated`, `content.deleted`. */
export type RecordEventType<R> = R extends { readonly writes: readonly (infer Write extends keyof Past)[] }
  ? EventTypeOf<R, Write>
  : never;

/** The type of a change of a record: `eventTypeOf(content, 'updated')` is `content.updated`. */
export const eventTypeOf = (
  { type, singular }: Pick<ResourceContract, 'type' | 'singular'>,
  event: RecordEvent,
): string => `${(type ?? singular).toLowerCase().replaceAll(' ', '_')}.${event}`;

/** The types of the changes of resources, in the order of the contract. */
export const recordEventTypes = <R extends ResourceContract>(
  resources: readonly R[],
): readonly RecordEventType<R>[] =>
  resources.flatMap((resource) =>
    (resource.writes ?? []).map((write) => eventTypeOf(resource, PAST[write]) as RecordEventType<R>),
  );

/** The value of `resource` for events of the workspace itself. */
export const WORKSPACE_EVENT_RESOURCE = 'workspace';

/** What happens to a workspace, apart from its records. `record`: what the `record` of such a change contains. */
export const WORKSPACE_EVENTS = {
  'endpoint.disabled': {
    description: 'A webhook endpoint was disabled, because it failed for too long or responded with 410.',
    record: 'its `id`, `url` and `reason`',
  },
  'import.finished': {
    description: 'An import of a file has ended.',
    record: 'its `id`, `resource`, and the numbers of records: `added`, `existing` and `refused`',
  },
  'key.created': {
    description: 'A person created an API key.',
    record: 'the key, as the list of keys shows it',
  },
  'key.revoked': {
    description: 'A person revoked an API key.',
    record: 'the key, as the list of keys shows it',
  },
  'key.rotated': {
    description: 'A person replaced the token of an API key.',
    record: 'the key, as the list of keys shows it',
  },
  'quota.reached': {
    description: 'The workspace has used 80 or 100 percent of its live quota of the month.',
    record: '`percent`, `limit`, `used` and `month`',
  },
} as const satisfies Readonly<Record<string, { readonly description: string; readonly record: string }>>;

export type WorkspaceEventType = keyof typeof WORKSPACE_EVENTS;

/** In alphabetical order. */
export const WORKSPACE_EVENT_TYPES = Object.keys(WORKSPACE_EVENTS) as readonly WorkspaceEventType[];
