import { type AuditLogKind, HTTP_METHODS, type HttpMethod } from '@svc/sdk/contract';
import { boundsOf, type TimeRange, timeRange } from '../../list/time/time-range.ts';
import { oneOf, text } from '../../routes/search.ts';
import { KIND_LABELS } from './kinds.ts';

/** The filters of the audit log in the URL, so that a shared link shows the same entries. */

/** The range of time without one in the URL. */
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

export interface LogSearch extends TimeRange {
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
  /** The dialog that exports the entries is open. */
  readonly dialog?: 'export' | undefined;
}

export function logSearch(search: Readonly<Record<string, unknown>>): LogSearch {
  // The router parses a number in the URL as a number.
  const status = String(search['status'] ?? '');
  return {
    ...timeRange(search),
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
    dialog: oneOf(search['dialog'], ['export']),
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
    ...boundsOf({ ...search, range: search.range ?? RANGE_DEFAULT }, nowMs),
  };
}

/** Whether there is a filter other than the time range. */
export function isFiltered(search: LogSearch): boolean {
  const { range: _, from: __, to: ___, entry: ____, dialog: _____, ...filters } = search;
  return Object.values(filters).some((value) => value !== undefined);
}
