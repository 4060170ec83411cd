import { checkedObject, checkedOptions } from '../checked-options.ts';
import { SvcError } from '../errors.ts';
import { type ApiPromise, apiCall, rememberResponse } from '../http/response.ts';
import { CALL_OPTIONS, type CallOptions, type Transport } from '../http/transport.ts';
import type { RestartEvent } from '../list/iterate.ts';
import { List } from '../list/list.ts';
import { type Listed, orderOf } from '../list/order.ts';
import type { Page, ReadPage } from '../list/page.ts';
import type { Resource } from '../resource.ts';
import { checkedSignal } from '../signal.ts';
import { Tail, type TailOptions } from '../tail/tail.ts';
import type { Count } from '../wire.ts';
import { recordOf } from './etag.ts';
import { fieldsText, idSegment, listQuery, queryText } from './query.ts';

/** What the methods of a resource need. */
export interface Context {
  readonly transport: Transport;
  readonly resource: Resource;
  readonly onRestart: ((event: RestartEvent) => void) | undefined;
}

/**
 * Options of a call, separated from its query parameters. Unknown names are query parameters, which the service
 * refuses.
 */
interface SplitOptions {
  readonly call: CallOptions;
  readonly query: Readonly<Record<string, unknown>>;
}

export function splitOptions(options: CallOptions | undefined): SplitOptions {
  const given: CallOptions & { readonly fields?: unknown } = checkedObject(options) ?? {};
  const { signal, timeoutMs, retries, headers, fields, ...query } = given;
  return {
    call: { signal: checkedSignal(signal), timeoutMs, retries, headers },
    query: fields === undefined ? query : { ...query, fields: fieldsText(fields) },
  };
}

/** Throws {@link SvcError} if the query has one of these parameters, which the method sets itself. */
export function refuseParameters(query: object, names: readonly string[], instead: string): void {
  const found = names.find((name) => name in query);
  if (found !== undefined) throw new SvcError(`There is no option "${found}" here: ${instead}.`);
}

export const pathOf = ({ name }: Resource): string => `/v1/${name}`;

export type AnyListOptions = CallOptions & {
  readonly limit?: number;
  readonly cursor?: string;
  readonly sort?: string;
  readonly fields?: unknown;
};

export function listOf(context: Context, options?: AnyListOptions): List<Listed> {
  const { call, query } = splitOptions(options);
  refuseParameters(query, ['direction'], 'call `before()` of the list to read it backwards');
  const {
    limit,
    cursor = null,
    ...parameters
  } = query as Omit<AnyListOptions, keyof CallOptions> & {
    readonly fields?: string;
  };
  return new List<Listed>(
    {
      name: context.resource.name,
      read: pageReader(context, parameters, call),
      // A sort that is not a string is refused with the first request.
      order: (direction) =>
        orderOf(context.resource, String(parameters.sort ?? ''), direction, parameters.fields),
      signal: call.signal,
      onRestart: context.onRestart,
    },
    { cursor, direction: 'forward', limit },
  );
}

/** Why a tail has no option `fields`. */
export const WHOLE_RECORDS = 'a tail yields whole records';

export function tailOf(context: Context, options?: TailOptions & CallOptions): Tail<Listed> {
  const { call, query } = splitOptions(options);
  refuseParameters(query, ['cursor', 'direction', 'limit'], 'a tail begins where `after` says');
  refuseParameters(query, ['fields'], WHOLE_RECORDS);
  const { after, pollMs, follow, ...parameters } = query as TailOptions;
  return new Tail<Listed>(
    {
      name: context.resource.name,
      read: pageReader(context, parameters, call),
      readAll: pageReader(context, {}, call),
      order: orderOf(context.resource, '', 'before'),
      signal: call.signal,
      onRestart: context.onRestart,
      sleep: context.transport.timing.sleep,
    },
    { after, pollMs, follow },
  );
}

export function pageReader(
  { transport, resource }: Context,
  parameters: Readonly<Record<string, unknown>>,
  call: CallOptions,
): ReadPage<Listed> {
  return async ({ cursor, direction, limit, signal = call.signal }) => {
    const query = listQuery({
      ...parameters,
      limit,
      direction: direction === 'before' ? direction : undefined,
      cursor: cursor ?? undefined,
    });
    const request = { method: 'GET', path: `${pathOf(resource)}${query}`, expected: 'list' } as const;
    const answer = await transport.send(request, { ...call, signal });
    const page = answer.body as Page<Listed>;
    rememberResponse(page, answer);
    return page;
  };
}

export const getRecord = (
  { transport, resource }: Context,
  id: string,
  options?: CallOptions & { readonly fields?: unknown },
): ApiPromise<unknown> =>
  apiCall(
    async () => {
      const { fields, ...call } = checkedOptions(options, [...CALL_OPTIONS, 'fields']);
      if (resource.counted === true && id === 'count')
        throw new SvcError('"count" cannot be an id here. Use the method `count()`.');
      if (resource.positions === true && id === 'stream')
        throw new SvcError('"stream" cannot be an id here. Use the method `stream()`.');
      if (resource.writes !== undefined && id === 'export')
        throw new SvcError('"export" cannot be an id here. Use the method `export()`.');
      const query = fields === undefined ? '' : queryText({ fields: fieldsText(fields) });
      const path = `${pathOf(resource)}/${idSegment(id)}${query}`;
      return transport.send({ method: 'GET', path, expected: 'object' }, call);
    },
    // The ETag of a part is not that of the record.
    (answer) => (options?.fields === undefined ? recordOf(answer) : answer.body),
  );

export const countRecords = (
  { transport, resource }: Context,
  options?: CallOptions & { readonly approximate?: boolean },
): ApiPromise<Count> =>
  apiCall(
    async () => {
      const { call, query } = splitOptions(options);
      const path = `${pathOf(resource)}/count${queryText(query)}`;
      return transport.send({ method: 'GET', path, expected: 'object' }, call);
    },
    ({ body }) => body as Count,
  );
