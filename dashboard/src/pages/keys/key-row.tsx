import type { DayOfKey, ListedKey } from '@svc/service/dashboard/wire';
import { Link } from '@tanstack/react-router';
import { When } from '../../format/when.tsx';
import { Cell, Row } from '../../ui/table.tsx';
import { accessText, ExpiryBadge, ModeBadge } from './key/key-badges.tsx';
import { type KeyAction, KeyMenu } from './key/key-menu.tsx';
import { Sparkline } from './sparkline.tsx';

export interface KeyRowProps {
  readonly workspaceId: string;
  readonly apiKey: ListedKey;
  /** Null if the key can access all companies. */
  readonly companyName: string | null;
  readonly requests: readonly DayOfKey[];
  readonly blocked: string | undefined;
  readonly onAction: (action: KeyAction) => void;
}

export function KeyRow({ workspaceId, apiKey, companyName, requests, blocked, onAction }: KeyRowProps) {
  const { id, name, mode, hint, createdAt, createdBy, lastUsedAt, revokedAt } = apiKey;
  const allowed = accessText(apiKey);
  const companies = companyName ?? 'All';
  const at = revokedAt ?? lastUsedAt;
  return (
    <Row>
      <Cell className="max-w-0 min-w-48 py-2.5 sm:w-2/5 md:w-1/4">
        <Link
          to="/w/$workspaceId/keys/$keyId"
          params={{ workspaceId, keyId: id }}
          className="block truncate font-medium hover:underline"
          title={name}
        >
          {name}
        </Link>
        <code className="text-xs text-soft">{hint}</code>
        <div className="mt-1 text-sm empty:hidden">
          <ExpiryBadge apiKey={apiKey} />
        </div>
        {/* The list is sorted by it, so it is always visible. */}
        <div className="mt-1 text-sm text-soft xl:hidden">
          Created <When at={createdAt} />
        </div>
        <div className="mt-1 text-sm text-soft md:hidden">
          <ModeBadge mode={mode} /> {allowed}
          {companyName === null ? null : ` · ${companyName}`}
          <span className="sm:hidden">
            {' · '}
            {at === null ? (
              'Never used'
            ) : (
              <>
                {revokedAt === null ? 'Last used' : 'Revoked'} <When at={at} />
              </>
            )}
          </span>
        </div>
      </Cell>
      <Cell className="hidden md:table-cell">
        <ModeBadge mode={mode} />
      </Cell>
      <Cell className="hidden whitespace-nowrap md:table-cell">{allowed}</Cell>
      <Cell className="hidden max-w-40 truncate lg:table-cell" title={companies}>
        {companies}
      </Cell>
      <Cell className="hidden max-w-44 text-soft xl:table-cell">
        <When at={createdAt} />
        {createdBy === null ? null : (
          <div className="truncate text-sm" title={createdBy}>
            {createdBy}
          </div>
        )}
      </Cell>
      <Cell className="hidden text-soft sm:table-cell">
        <When at={at} />
      </Cell>
      <Cell className="hidden sm:table-cell">
        <Link
          to="/w/$workspaceId/keys/$keyId"
          params={{ workspaceId, keyId: id }}
          className="inline-flex min-h-6 items-end rounded hover:underline"
        >
          <Sparkline days={requests} />
          <span className="sr-only">. Show the usage of {name}</span>
        </Link>
      </Cell>
      <Cell className="w-0 text-end">
        {revokedAt === null ? <KeyMenu apiKey={apiKey} blocked={blocked} onAction={onAction} /> : null}
      </Cell>
    </Row>
  );
}
