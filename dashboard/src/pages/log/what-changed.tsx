import type { AuditLogEntry, AuditLogTargetType, AuditLogValue } from '@svc/sdk';
import { Fact, Only } from './fact.tsx';
import type { LogSearch } from './log-search.ts';

const TARGETS: Readonly<Record<AuditLogTargetType, string>> = {
  import: 'Import',
  invitation: 'Invitation',
  key: 'API key',
  member: 'Member',
  record: 'Record',
  workspace: 'Workspace',
};

/** Names of details and of what changes, in words. */
const NAMES: Readonly<Record<string, string>> = {
  access: 'Access',
  action: 'Action',
  burstLimit: 'Burst limit',
  companyId: 'Company',
  existing: 'Already existed',
  filters: 'Filters',
  finished: 'Finished',
  format: 'Format',
  invitationId: 'Invitation',
  liveQuota: 'Live quota',
  method: 'Method',
  mode: 'Mode',
  name: 'Name',
  refused: 'Lines refused',
  role: 'Role',
  sessions: 'Sessions',
  sessionsEnded: 'Sessions ended',
};

/** What an empty value means; elsewhere it means nothing. */
const EMPTY: Readonly<Record<string, string>> = {
  burstLimit: 'no limit',
  companyId: 'all companies',
  liveQuota: 'no limit',
};

/** Details whose values are words of the service. */
const WORDS: readonly string[] = ['action', 'method'];

function inWords(name: string, value: AuditLogValue | undefined): string {
  if (value === null || value === undefined || value === '') return EMPTY[name] ?? '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString();
  return WORDS.includes(name) ? value.replaceAll(/[_-]/g, ' ') : value;
}

interface WhatChangedProps {
  readonly entry: AuditLogEntry;
  readonly onFilter: (search: LogSearch) => void;
}

/** On whom or what a person acted (a key has a line of its own), the facts of it, and values before and after. */
export function WhatChanged({ entry, onFilter }: WhatChangedProps) {
  const { targetType, targetId, targetLabel, details = {}, changes = [] } = entry;
  const fields = changes.filter(({ after }) => after === undefined).map(({ field }) => field);
  return (
    <>
      {targetType === undefined || targetType === 'key' ? null : (
        <Fact name={TARGETS[targetType]}>
          <bdi>{targetLabel === '' ? null : `${targetLabel} `}</bdi>
          {targetLabel === targetId ? null : <code className="text-soft">{targetId}</code>}
          <Only onClick={() => onFilter({ target: targetId })}>Only this target</Only>
        </Fact>
      )}
      {Object.entries(details).map(([name, value]) => (
        <Fact key={name} name={NAMES[name] ?? name}>
          <bdi>{inWords(name, value)}</bdi>
        </Fact>
      ))}
      {changes
        .filter(({ after }) => after !== undefined)
        .map(({ field, before, after }) => (
          <Fact key={field} name={NAMES[field] ?? field}>
            <bdi>{inWords(field, before)}</bdi> → <bdi>{inWords(field, after)}</bdi>
          </Fact>
        ))}
      {fields.length === 0 ? null : <Fact name="Fields changed">{fields.join(', ')}</Fact>}
    </>
  );
}
