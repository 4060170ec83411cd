import { textOf } from '../checked-options.ts';
import { listQuery } from '../collection/query.ts';
import {
  type AnyListOptions,
  type Context,
  listOf,
  pageReader,
  pathOf,
  refuseParameters,
  splitOptions,
  WHOLE_RECORDS,
} from '../collection/read.ts';
import type { PositionOptions } from '../collection/types.ts';
import { CREATED, PAGE_LIMIT_MAX } from '../contract/index.ts';
import { SvcError } from '../errors.ts';
import type { CallOptions } from '../http/transport.ts';
import { List } from '../list/list.ts';
import { type Listed, orderOf } from '../list/order.ts';
import type { Page, ReadPage } from '../list/page.ts';
import { checkedNumber } from '../number.ts';
import type { Signal } from '../signal.ts';
import type { Change, Positioned } from '../wire.ts';
import { followChanges, NOW, type ReadChanges, START } from './follow.ts';
import type { ChangeBatch } from './positioned.ts';
import { ChangeStream, type ChangeStreamOptions, streamChanges } from './stream.ts';
import { ChangeTail, type ChangeTailOptions } from './tail.ts';

/** The order of the changes after a position. */
const ASCENDING = `${CREATED}-ascending`;

type Parameters = Readonly<Record<string, unknown>>;

/** Like the list of any resource, and with `after` and `wait`. */
export function changeListOf(context: Context, options?: AnyListOptions & PositionOptions): List<Listed> {
  const { call, query } = splitOptions(options);
  if (query['after'] === undefined) return listOf(context, options);
  refuseParameters(query, ['direction', 'cursor', 'sort'], '"after" decides where the list begins');
  const { after, wait, limit, ...filters } = query;
  return new List<Listed>(
    {
      name: context.resource.name,
      read: readerAfter(context, { ...filters, after, wait }, call),
      order: (direction) => orderOf(context.resource, ASCENDING, direction, filters['fields'] as string),
      signal: call.signal,
      onRestart: context.onRestart,
    },
    { cursor: null, direction: 'forward', limit: limit as number | undefined },
  );
}

/** Reads the changes after a position: the first page with the position, the others with its cursor. */
function readerAfter(
  context: Context,
  { after, wait, ...filters }: Parameters,
  call: CallOptions,
): ReadPage<Listed> {
  const first = pageReader(context, { ...filters, after, wait }, waiting(context, call, wait));
  const next = pageReader(context, { ...filters, sort: ASCENDING }, call);
  return (request) => (request.cursor === null ? first : next)(request);
}

/** Options of a call that the service may hold for this many seconds. */
function waiting({ transport }: Context, call: CallOptions, wait: unknown): CallOptions {
  if (wait === undefined) return call;
  const { timeoutMs = transport.timeoutMs } = call;
  return { ...call, timeoutMs: timeoutMs + checkedNumber('wait', wait as number, { min: 0 }) * 1000 };
}

export function changeTailOf(context: Context, options?: ChangeTailOptions & CallOptions): ChangeTail {
  const { call, query } = splitOptions(options);
  refuseParameters(query, OTHER_PLACES, 'a tail begins where `after` says');
  refuseParameters(query, ['fields'], WHOLE_RECORDS);
  const { after, follow = true, ...filters } = query as ChangeTailOptions;
  if (typeof follow !== 'boolean')
    throw new SvcError(`"follow" must be true or false, not ${textOf(follow)}.`);
  const read = changeReader(context, filters, call);
  const source = {
    newest: newestOf(read),
    async *follow(position: string, signal: Signal) {
      const options = { after: position, follow, signal };
      for await (const page of followChanges(read, options, context.transport.timing)) yield batchOf(page);
    },
    signal: call.signal,
  };
  return new ChangeTail(source, after);
}

export function changeStreamOf(context: Context, options?: ChangeStreamOptions & CallOptions): ChangeStream {
  const { call, query } = splitOptions(options);
  refuseParameters(query, [...OTHER_PLACES, 'follow'], 'a stream begins where `after` says and never ends');
  refuseParameters(query, ['fields'], WHOLE_RECORDS);
  const { after, ...filters } = query as ChangeStreamOptions;
  const read = changeReader(context, filters, call);
  const stream = {
    transport: context.transport,
    pathAfter: (position: string) =>
      `${pathOf(context.resource)}/stream${listQuery({ ...filters, after: position })}`,
    call,
  };
  const source = {
    newest: newestOf(read),
    async *follow(position: string, signal: Signal) {
      if (position !== START) return yield* streamChanges(stream, position, signal);
      // The stream has no name for the oldest change: the first page says where it begins.
      const first = batchOf(await read({ after: START, wait: undefined, signal }));
      yield first;
      yield* streamChanges(stream, first.position, signal);
    },
    signal: call.signal,
  };
  return new ChangeStream(source, after);
}

const OTHER_PLACES = ['cursor', 'direction', 'sort', 'limit', 'wait'];

const changeReader =
  (context: Context, filters: Parameters, call: CallOptions): ReadChanges =>
  async ({ after, wait, signal }) => {
    const from = after === START ? { sort: ASCENDING } : { after, wait };
    const read = pageReader(context, { ...filters, ...from }, waiting(context, call, wait));
    const page = await read({ cursor: null, direction: 'forward', limit: PAGE_LIMIT_MAX, signal });
    return page as unknown as Page<Change, Positioned>;
  };

const newestOf =
  (read: ReadChanges) =>
  async (signal: Signal | undefined): Promise<string> =>
    (await read({ after: NOW, wait: undefined, signal })).pagination.position;

const batchOf = ({ data, pagination }: Page<Change, Positioned>): ChangeBatch => ({
  data,
  position: pagination.position,
});
