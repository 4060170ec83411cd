import type { AnyAuditLogEntry, AuditLogTargetType, AuditLogValue } from '@svc/sdk';
import { formatNumber } from '../../format/number.ts';
import { When } from '../../format/when.tsx';
import { DETAIL_NAMES, EMPTY_DETAILS } from './detail-names.ts';
import { Fact, FilterLink } from './entry-parts.tsx';
import type { LogSearch } from './log-search.ts';

const TARGETS: Readonly<Record<AuditLogTargetType, string>> = {
  import: 'Import',
  invitation: 'Invitation',
  key: 'API key',
  member: 'Member',
  record: 'Record',
  resource: 'Records',
  webhook: 'Webhook',
  workspace: 'Workspace',
};

/** Details whose values are identifiers in snake case or kebab case. */
const WORDS: readonly string[] = ['action', 'method'];
/** Details whose values are times. */
const TIMES: readonly string[] = ['expiresAt', 'since'];

function valueText(name: string, value: AuditLogValue | undefined): string {
  if (value === null || value === undefined || value === '') return EMPTY_DETAILS[name] ?? '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number')
    return name === 'durationMs' ? `${formatNumber(value)} ms` : formatNumber(value);
  return WORDS.includes(name) ? value.replaceAll(/[_-]/g, ' ') : value;
}

interface ValueProps {
  readonly name: string;
  readonly value: AuditLogValue | undefined;
}

const Value = ({ name, value }: ValueProps) =>
  TIMES.includes(name) && typeof value === 'string' ? (
    <When at={value} form="full" />
  ) : (
    <bdi>{valueText(name, value)}</bdi>
  );

interface WhatChangedProps {
  readonly entry: AnyAuditLogEntry;
  readonly onFilter: (search: LogSearch) => void;
}

/** The target of an entry (except a key, which has its own field), its details, and the changes before → after. */
export function WhatChanged({ entry, onFilter }: WhatChangedProps) {
  const { targetType, targetId, targetLabel, details = {}, changes = [] } = entry;
  const fields = changes.filter(({ after }) => after === undefined).map(({ field }) => field);
  return (
    <>
      {targetType === undefined || targetType === 'key' ? null : (
        <Fact name={TARGETS[targetType]}>
          <bdi>{targetLabel === '' ? null : `${targetLabel} `}</bdi>
          {targetLabel === targetId ? null : <code className="text-soft">{targetId}</code>}
          <FilterLink onClick={() => onFilter({ target: targetId })}>Filter by this target</FilterLink>
        </Fact>
      )}
      {Object.entries(details).map(([name, value]) => (
        <Fact key={name} name={DETAIL_NAMES[name] ?? name}>
          <Value name={name} value={value} />
        </Fact>
      ))}
      {changes
        .filter(({ after }) => after !== undefined)
        .map(({ field, before, after }) => (
          <Fact key={field} name={DETAIL_NAMES[field] ?? field}>
            <Value name={field} value={before} /> → <Value name={field} value={after} />
          </Fact>
        ))}
      {fields.length === 0 ? null : <Fact name="Fields changed">{fields.join(', ')}</Fact>}
    </>
  );
}
