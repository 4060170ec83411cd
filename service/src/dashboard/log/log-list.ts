import { parseAddress } from '@svc/ip-addresses';
import { HTTP_METHODS, isId, REQUEST_ID_PATTERN } from '@svc/sdk/contract';
import { type Comparison, type Filter, type ListDefinition, textThat } from '../../list/definition.ts';
import { timeFilter } from '../../resources/filters.ts';
import { auditLog } from '../../resources/index.ts';
import { EMAIL_MAX_CHARACTERS, PATH_FILTER_MAX_CHARACTERS } from '../limits.ts';

const status = (operator: Comparison['operator']): Filter => ({
  column: 'status',
  comparison: { operator, type: 'smallint' },
  parse: textThat((text) => /^[1-5]\d\d$/.test(text)),
  allowed: 'an HTTP status from 100 to 599',
});

const path = {
  column: 'path',
  parse: textThat(
    (text) => text.startsWith('/') && text.length <= PATH_FILTER_MAX_CHARACTERS && !text.includes('\0'),
  ),
  allowed: `a path of at most ${PATH_FILTER_MAX_CHARACTERS} characters that begins with /`,
} as const;

/** A field of the entry that has no column of its own. */
const field = (name: string, parse: Filter['parse'], allowed: string): Filter => ({
  column: `(doc::json ->> '${name}')`,
  parse,
  allowed,
});
const REQUEST_ID = new RegExp(REQUEST_ID_PATTERN);

/** Read from the entry, because old entries have nothing in the column. A request with a key has no actor. */
const actor: Filter = {
  column: `(case when kind <> 'api.request' then doc::json ->> 'actor' end)`,
  parse: (text) =>
    text !== '' && text.length <= EMAIL_MAX_CHARACTERS && !text.includes('\0')
      ? text.toLowerCase()
      : undefined,
  allowed: 'the email address of a person',
};

/** The ranges of time have other names here. */
const { createdAfter: _after, createdBefore: _before, ...shared } = auditLog.list.filters;

/**
 * The audit log of the dashboard: the list of the API with more filters. A range of time includes `from` and excludes
 * `to`, so that adjacent ranges do not overlap. A range of statuses includes both bounds.
 */
export const logList: ListDefinition = {
  ...auditLog.list,
  name: 'log',
  filters: {
    ...shared,
    keyId: { column: 'key_id', parse: textThat(isId), allowed: 'the id of an API key' },
    actor,
    targetId: { column: 'target_id', parse: textThat(isId), allowed: 'the id of the target of an entry' },
    // Entries have the canonical text of an address.
    ip: field('ip', (text) => parseAddress(text)?.toString(), 'an IP address'),
    requestId: field(
      'requestId',
      textThat((text) => REQUEST_ID.test(text)),
      'a request id',
    ),
    method: {
      column: 'method',
      parse: textThat((text) => HTTP_METHODS.some((method) => method === text)),
      allowed: `one of ${HTTP_METHODS.join(', ')}`,
    },
    path,
    pathPrefix: { ...path, comparison: { operator: '^@', type: 'text' } },
    statusMin: status('>='),
    statusMax: status('<='),
    from: timeFilter('>=', 'created_at'),
    to: timeFilter('<', 'created_at'),
  },
};
