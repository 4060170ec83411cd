import type { ApiKey } from '@svc/sdk';
import { LISTED_USAGE_DAYS } from '@svc/service/dashboard/limits';
import { useInfiniteQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCompanyNames } from '../../api/company-names.ts';
import { type KeyStatus, keysQuery } from '../../api/keys.ts';
import { useArrival } from '../../arrival.ts';
import { ColumnHead } from '../../list/column-head.tsx';
import { useRefreshedList } from '../../list/continued-list.ts';
import { ListEnd } from '../../list/list-end.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { HeadCell, Table, TableBody, TableHead } from '../../ui/table.tsx';
import type { KeyAction } from './key/key-menu.tsx';
import { KeyRow } from './key-row.tsx';
import { lastDays } from './usage.ts';

export interface KeyListProps {
  readonly workspaceId: string;
  readonly status: KeyStatus;
  /** Why the person may not change keys; undefined if they may. */
  readonly blocked: string | undefined;
  readonly createButton: ReactNode;
  readonly onAction: (key: ApiKey, action: KeyAction) => void;
}

export function KeyList({ workspaceId, status, blocked, createButton, onAction }: KeyListProps) {
  const query = keysQuery(workspaceId, status);
  const keys = useInfiniteQuery(query);
  const list = useRefreshedList(keys, query.queryKey);
  const data = useArrival(keys.data, `${workspaceId} ${status}`);
  const { items = [], more } = list;
  const nameOf = useCompanyNames(
    workspaceId,
    items.map(({ companyId }) => companyId),
  );
  if (keys.error !== null && keys.data === undefined) {
    return (
      <FailureState
        error={keys.error}
        retry={() => void keys.refetch()}
        title="The keys could not be loaded"
      />
    );
  }
  if (data === undefined) return <SkeletonRows />;
  if (items.length === 0 && !more) return <NoKeys status={status} createButton={createButton} />;
  return (
    <>
      {items.length === 0 ? null : (
        <Table label="API keys">
          <TableHead>
            <tr>
              <HeadCell>Key</HeadCell>
              <HeadCell className="hidden md:table-cell">Mode</HeadCell>
              <HeadCell className="hidden md:table-cell">Access</HeadCell>
              <HeadCell className="hidden lg:table-cell">Companies</HeadCell>
              <ColumnHead className="hidden xl:table-cell" label="Created" order="descending" />
              <HeadCell className="hidden sm:table-cell">
                {status === 'revoked' ? 'Revoked' : 'Last used'}
              </HeadCell>
              <HeadCell className="hidden sm:table-cell">Requests, {LISTED_USAGE_DAYS} days</HeadCell>
              <HeadCell>
                <span className="sr-only">Actions</span>
              </HeadCell>
            </tr>
          </TableHead>
          <TableBody>
            {items.map((key) => (
              <KeyRow
                key={key.id}
                workspaceId={workspaceId}
                apiKey={key}
                companyName={key.companyId === null ? null : nameOf(key.companyId)}
                requests={lastDays(key.requests)}
                blocked={blocked}
                onAction={(action) => onAction(key, action)}
              />
            ))}
          </TableBody>
        </Table>
      )}
      <ListEnd key={`${workspaceId} ${status}`} list={list} noun={['key', 'keys']} />
    </>
  );
}

const WHAT_KEYS: Readonly<Record<Exclude<KeyStatus, 'active'>, string>> = {
  paused: 'A paused key is refused until you resume it.',
  expired: 'An expired key is refused. Give it a later expiry date to use it again.',
  revoked: 'Revoked keys stay listed here, so that you can look up keys from the audit log.',
};

const NoKeys = ({ status, createButton }: Pick<KeyListProps, 'status' | 'createButton'>) =>
  status === 'active' ? (
    <EmptyState icon={KeyRound} title="No keys yet" actions={createButton}>
      Create a key to call the API. Start with a test key: it uses no quota, and its writes change nothing.
    </EmptyState>
  ) : (
    <EmptyState icon={KeyRound} title={`No ${status} keys`}>
      {WHAT_KEYS[status]}
    </EmptyState>
  );
