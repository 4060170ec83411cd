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
