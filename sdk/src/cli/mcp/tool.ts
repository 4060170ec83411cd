import type { Svc } from '../../client.ts';
import type { JsonSchema } from '../../contract/index.ts';
import type { CallOptions } from '../../http/transport.ts';

/** The arguments of a call. All of them are in the schema of the tool. The service checks their values. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface Tool {
  /** `list_audits`. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly kind: 'read' | 'create' | 'update' | 'delete' | 'batch';
  /** Resolves with the JSON of the result. Throws what the client library throws. */
  call(svc: Svc, input: Arguments, options: CallOptions): Promise<unknown>;
}

/** The schema of an object that has only these properties. */
export const closed = (properties: JsonSchema, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
  additionalProperties: false,
});
