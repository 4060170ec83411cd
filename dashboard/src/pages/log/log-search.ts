import { type AuditLogKind, HTTP_METHODS, type HttpMethod } from '@svc/sdk/contract';
import { oneOf, text } from '../../routes/search.ts';
import { KIND_LABELS } from './kinds.ts';

/** The filters of the audit log in the URL, so that a shared link shows the same entries. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Time ranges that end now. Null: the whole log. */
export const RANGES = {
  '1h': { label: 'Last hour', ms: HOUR_MS },
  '24h': { label: 'Last 24 hours', ms: DAY_MS },
  '7d': { label: 'Last 7 days', ms: 7 * DAY_MS },
  '30d': { label: 'Last 30 days', ms: 30 * DAY_MS },
  all: { label: 'All time', ms: null },
} as const satisfies Record<string, { readonly label: string; readonly ms: number | null }>;
export type Range = keyof typeof RANGES | 'custom';
const RANGE_NAMES = [...(Object.keys(RANGES) as (keyof typeof RANGES)[]), 'custom'] as const;
export const RANGE_DEFAULT = '7d';

/** Groups of statuses with their bounds. */
export const STATUS_GROUPS = {
  failed: { label: '4xx and 5xx (failed)', min: 400, max: 599 },
  '2xx': { label: '2xx (success)', min: 200, max: 299 },
  '3xx': { label: '3xx (not modified)', min: 300, max: 399 },
  '4xx': { label: '4xx (client error)', min: 400, max: 499 },
  '5xx': { label: '5xx (server error)', min: 500, max: 599 },
} as const;
type StatusGroup = keyof typeof STATUS_GROUPS;
const isGroup = (status: string): status is StatusGroup => Object.hasOwn(STATUS_GROUPS, status);

export interface LogSearch {
  /** Default: RANGE_DEFAULT. */
  readonly range?: Range | undefined;
  /** Start of a custom range, in the viewer's zone: `2026-03-01T09:30`. */
  readonly from?: string | undefined;
  /** End of a custom range. */
  readonly to?: string | undefined;
  readonly kind?: AuditLogKind | undefined;
  /** A group of statuses, or one status. */
  readonly status?: string | undefined;
  readonly method?: HttpMethod | undefined;
  readonly key?: string | undefined;
  /** A path. With `*` at the end, a prefix. */
  readonly path?: string | undefined;
  /** Email address of the person who acted. */
  readonly person?: string | undefined;
  /** Id of the target. */
  readonly target?: string | undefined;
  /** IP address. */
  readonly address?: string | undefined;
  readonly request?: string | undefined;
  /** Id of the entry that is open in the dialog. */
  readonly entry?: string | undefined;
}

const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;
const localTime = (value: unknown): string | undefined =>
  typeof value === 'string' && LOCAL_TIME.test(value) ? value : undefined;

export function logSearch(search: Readonly<Record<string, unknown>>): LogSearch {
  // The router parses a number in the URL as a number.
  const status = String(search['status'] ?? '');
  return {
    range: oneOf(search['range'], RANGE_NAMES),
    from: localTime(search['from']),
    to: localTime(search['to']),
    kind: oneOf(search['kind'], Object.keys(KIND_LABELS) as AuditLogKind[]),
    status: isGroup(status) || /^[1-5]\d\d$/.test(status) ? status : undefined,
    method: oneOf(search['method'], HTTP_METHODS),
    key: text(search['key']),
    path: text(search['path']),
    person: text(search['person']),
    target: text(search['target']),
    address: text(search['address']),
    request: text(search['request']),
    entry: text(search['entry']),
  };
}

/** The parameters of the request. A range that ends now is counted back from `nowMs`. */
export function logParams(
  search: LogSearch,
  nowMs: number,
): Readonly<Record<string, string | number | undefined>> {
  const { kind, method, key, path, status, person, target, address, request } = search;
  const bounds = status === undefined ? undefined : isGroup(status) ? STATUS_GROUPS[status] : undefined;
  const exact = status === undefined || bounds !== undefined ? undefined : Number(status);
  const prefix = path?.endsWith('*') === true;
  return {
    kind,
    method,
    keyId: key,
    actor: person,
    targetId: target,
    ip: address,
    requestId: request,
    path: prefix ? undefined : path,
    pathPrefix: prefix ? path?.slice(0, -1) : undefined,
    statusMin: bounds?.min ?? exact,
    statusMax: bounds?.max ?? exact,
    ...timesOf(search, nowMs),
  };
}

function timesOf(
  { range = RANGE_DEFAULT, from, to }: LogSearch,
  nowMs: number,
): { readonly from?: string | undefined; readonly to?: string | undefined } {
  if (range === 'custom') return { from: utc(from), to: utc(to) };
  const { ms } = RANGES[range];
  return ms === null ? {} : { from: new Date(nowMs - ms).toISOString() };
}

const utc = (local: string | undefined): string | undefined =>
  local === undefined ? undefined : new Date(local).toISOString();

/** Whether there is a filter other than the time range. */
export const isFiltered = ({ range: _, from: __, to: ___, entry: ____, ...filters }: LogSearch): boolean =>
  Object.values(filters).some((value) => value !== undefined);
