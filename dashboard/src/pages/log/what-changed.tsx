import type { AnyAuditLogEntry, AuditLogTargetType, AuditLogValue } from '@svc/sdk';
import { formatNumber } from '../../format/number.ts';
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

/** Labels of details and of changed fields. */
const NAMES: Readonly<Record<string, string>> = {
  access: 'Access',
  action: 'Action',
  burstLimit: 'Burst limit',
  companyId: 'Company',
  description: 'Description',
  eventId: 'Event',
  events: 'Events',
  existing: 'Already existed',
  filters: 'Filters',
  finished: 'Finished',
  format: 'Format',
  invitationId: 'Invitation',
  liveQuota: 'Live quota',
  method: 'Method',
  mode: 'Mode',
  name: 'Name',
  ordered: 'Ordered',
  reason: 'Reason',
  refused: 'Refused lines',
  role: 'Role',
  sessions: 'Sessions',
  sessionsEnded: 'Sessions ended',
  since: 'Since',
  types: 'Types',
  url: 'URL',
};

/** What null means for these names. For other names it is shown as a dash. */
const EMPTY: Readonly<Record<string, string>> = {
  burstLimit: 'no limit',
  companyId: 'all companies',
  types: 'all types',
  liveQuota: 'no limit',
};

/** Details whose values are identifiers in snake case or kebab case. */
const WORDS: readonly string[] = ['action', 'method'];

function valueText(name: string, value: AuditLogValue | undefined): string {
  if (value === null || value === undefined || value === '') return EMPTY[name] ?? '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return formatNumber(value);
  return WORDS.includes(name) ? value.replaceAll(/[_-]/g, ' ') : value;
}

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
        <Fact key={name} name={NAMES[name] ?? name}>
          <bdi>{valueText(name, value)}</bdi>
        </Fact>
      ))}
      {changes
        .filter(({ after }) => after !== undefined)
        .map(({ field, before, after }) => (
          <Fact key={field} name={NAMES[field] ?? field}>
            <bdi>{valueText(field, before)}</bdi> → <bdi>{valueText(field, after)}</bdi>
          </Fact>
        ))}
      {fields.length === 0 ? null : <Fact name="Fields changed">{fields.join(', ')}</Fact>}
    </>
  );
}
