import type { RecordChange } from '@svc/service/dashboard/wire';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useKeys } from '../../api/keys.ts';
import { When } from '../../format/when.tsx';
import { useCursorList } from '../../list/cursor-list.ts';
import { ListEnd } from '../../list/list-end.tsx';
import { fieldLabel, valueLabel } from '../../resources/labels.ts';
import type { ResourceContract } from '../../resources/resources.ts';
import { Section } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';
import { FailureState } from '../../ui/failure-state.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { historyPath } from './record-query.ts';

export interface RecordHistoryProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  readonly recordId: string;
  /** Of the record that the page shows. The history is read again when it changes. Undefined: there is no record. */
  readonly etag?: string;
}

const NO_PARAMETERS = {};

/** Who changed a record, when, and which fields, newest first. Each change links to its entry in the audit log. */
export function RecordHistory({ workspaceId, resource, recordId, etag }: RecordHistoryProps) {
  const list = useCursorList<RecordChange>(
    historyPath(workspaceId, resource.name, recordId),
    NO_PARAMETERS,
    false,
  );
  const { items, more, error, reload } = list;
  const keys = useKeys(workspaceId);
  const readWith = useRef(etag);
  useEffect(() => {
    if (readWith.current === etag) return;
    readWith.current = etag;
    void reload();
  }, [etag, reload]);
  const complete = items?.at(-1)?.type.endsWith('.created') === true;
  return (
    <Section title="History" flush>
      {items === undefined && error !== null ? (
        <FailureState error={error} retry={reload} title="The history could not be loaded" />
      ) : items === undefined ? (
        <SkeletonRows rows={2} />
      ) : (
        <>
          {items.length === 0 ? null : (
            <ol aria-label="History" className="divide-y divide-line">
              {items.map((change) => (
                <ChangeRow
                  key={change.id}
                  workspaceId={workspaceId}
                  change={change}
                  fields={changedFields(resource, change)}
                  keyName={keys.get(change.entry?.keyId ?? '')?.name}
                />
              ))}
            </ol>
          )}
          {more || complete ? null : (
            <p className={classes('px-4 py-3 text-sm text-soft', items.length > 0 && 'border-t border-line')}>
              {items.length === 0
                ? 'No change of this record is stored. Changes are deleted after some time.'
                : 'Earlier changes are no longer stored.'}
            </p>
          )}
          {items.length > 0 || more ? <ListEnd list={list} noun={['change', 'changes']} /> : null}
        </>
      )}
    </Section>
  );
}

interface ChangeRowProps {
  readonly workspaceId: string;
  readonly change: RecordChange;
  /** Names of the fields that somebody changed. */
  readonly fields: readonly string[];
  readonly keyName: string | undefined;
}

function ChangeRow({ workspaceId, change, fields, keyName }: ChangeRowProps) {
  const { entry, createdAt } = change;
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2.5">
      <span className="w-36 shrink-0 text-sm text-soft">
        <When at={createdAt} form="stamp" />
      </span>
      <span className="min-w-0 flex-1 basis-48 wrap-anywhere">
        <span className="font-medium">{eventOf(change)}</span>
        {fields.length === 0 ? null : <span>: {fields.map(fieldLabel).join(', ')}</span>}
        <bdi className="block text-sm text-soft">
          {entry === null
            ? 'No entry in the audit log'
            : (entry.actor ?? keyName ?? entry.keyId ?? 'Operator')}
        </bdi>
      </span>
      {entry === null ? null : (
        <Link
          to="/w/$workspaceId/log"
          params={{ workspaceId }}
          search={{ entry: entry.id }}
          className="shrink-0 rounded text-sm text-accent hover:underline"
        >
          Audit entry
        </Link>
      )}
    </li>
  );
}

/** Without the fields that the service sets by itself, such as the time of the last change. */
const changedFields = (
  { server = [] }: ResourceContract,
  { changed = [] }: RecordChange,
): readonly string[] => changed.filter((name) => !server.includes(name));

/** `content.updated` → "Updated". */
const eventOf = ({ type, entry }: RecordChange): string =>
  entry?.kind === 'records.imported' ? 'Imported' : valueLabel(type.slice(type.indexOf('.') + 1));
