import {
  type AnyListOptions,
  type Context,
  listOf,
  pageReader,
  refuseParameters,
  splitOptions,
} from '../collection/read.ts';
import type { PositionOptions } from '../collection/types.ts';
import { CREATED, PAGE_LIMIT_MAX } from '../contract/index.ts';
import type { CallOptions } from '../http/transport.ts';
import { List } from '../list/list.ts';
import { type Listed, orderOf } from '../list/order.ts';
import type { Page, ReadPage } from '../list/page.ts';
import { checkedNumber } from '../number.ts';
import type { Change, Positioned } from '../wire.ts';
import { START } from './follow.ts';
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
      order: (direction) => orderOf(context.resource, ASCENDING, direction),
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
  refuseParameters(
    query,
    ['cursor', 'direction', 'sort', 'limit', 'wait'],
    'a tail begins where `after` says',
  );
  const { after, follow, ...filters } = query as ChangeTailOptions;
  return new ChangeTail(
    {
      read: async ({ after: position, wait, signal }) => {
        const from = position === START ? { sort: ASCENDING } : { after: position, wait };
        const read = pageReader(context, { ...filters, ...from }, waiting(context, call, wait));
        const page = await read({ cursor: null, direction: 'forward', limit: PAGE_LIMIT_MAX, signal });
        return page as unknown as Page<Change, Positioned>;
      },
      signal: call.signal,
      timing: context.transport.timing,
    },
    { after, follow },
  );
}
