import { API_METHODS } from '@svc/sdk/contract';
import { queryOptions } from '@tanstack/react-query';
import { readJson, throwUnreachable } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { serviceUrl } from '../../base.ts';

/** The parts of the OpenAPI document that the explorer uses. */

export interface ParameterSpec {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: {
    readonly type?: string;
    readonly enum?: readonly string[];
    readonly default?: string | number | boolean;
    readonly examples?: readonly unknown[];
  };
}

interface Reference {
  readonly $ref: string;
}

interface OperationSpec {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly (ParameterSpec | Reference)[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationSpec>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, ParameterSpec>> };
}

/** An operation of the API. */
export interface Operation {
  /** `GET /v1/audits/{id}`. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly group: string;
  readonly summary: string;
  /** Parameters of the path and the query, without headers. */
  readonly parameters: readonly ParameterSpec[];
  /** An example body as JSON text; undefined if the operation has no body. */
  readonly body: string | undefined;
}

const REFERENCE = '#/components/parameters/';

/** The operations of the API, from the OpenAPI document of the service. */
export const operationsQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: async ({ signal }): Promise<readonly Operation[]> => {
    const response = await fetch(`${serviceUrl()}/openapi.json`, { signal }).catch(throwUnreachable);
    if (!response.ok) throw await failureOf(response);
    return operationsOf(await readJson<Document>(response));
  },
  staleTime: Number.POSITIVE_INFINITY,
});

function operationsOf({ paths, components }: Document): readonly Operation[] {
  const resolve = (parameter: ParameterSpec | Reference): ParameterSpec | undefined =>
    '$ref' in parameter ? components.parameters[parameter.$ref.slice(REFERENCE.length)] : parameter;
  return Object.entries(paths).flatMap(([path, item]) =>
    API_METHODS.flatMap((method) => {
      const spec = item[method.toLowerCase()];
      if (spec === undefined) return [];
      const example = spec.requestBody && Object.values(spec.requestBody.content)[0]?.example;
      return {
        id: `${method} ${path}`,
        method,
        path,
        group: spec.tags[0] ?? '',
        summary: spec.summary,
        parameters: (spec.parameters ?? []).flatMap((parameter) => {
          const resolved = resolve(parameter);
          return resolved === undefined || resolved.in === 'header' ? [] : [resolved];
        }),
        body: spec.requestBody === undefined ? undefined : JSON.stringify(example ?? {}, null, 2),
      };
    }),
  );
}
