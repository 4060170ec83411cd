import type { ApiKey } from '@svc/sdk';
import { Ellipsis, KeySquare, RefreshCw } from 'lucide-react';
import { When } from '../../format/when.tsx';
import { Badge } from '../../ui/badge.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/popup/menu.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, Row } from '../../ui/table.tsx';
import { Sparkline } from './sparkline.tsx';
import type { DayOfKey } from './usage.ts';

export type KeyAction = 'rotate' | 'revoke';

export interface KeyRowProps {
  readonly apiKey: ApiKey;
  /** Null if the key can access all companies. */
  readonly companyName: string | null;
  /** Undefined while they load. */
  readonly requests: readonly DayOfKey[] | undefined;
  readonly blocked: string | undefined;
  readonly onAction: (action: KeyAction) => void;
}

export function KeyRow({ apiKey, companyName, requests, blocked, onAction }: KeyRowProps) {
  const { name, mode, hint, access, createdAt, lastUsedAt, revokedAt } = apiKey;
  const allowed = access === 'write' ? 'Read and write' : 'Read';
  const companies = companyName ?? 'All';
  const at = revokedAt ?? lastUsedAt;
  return (
    <Row>
      <Cell className="max-w-0 min-w-48 py-2.5 sm:w-2/5 md:w-1/4">
        <div className="truncate font-medium" title={name}>
          {name}
        </div>
        <code className="text-xs text-soft">{hint}</code>
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
      <Cell className="hidden text-soft xl:table-cell">
        <When at={createdAt} />
      </Cell>
      <Cell className="hidden text-soft sm:table-cell">
        <When at={at} />
      </Cell>
      <Cell className="hidden sm:table-cell">
        {requests === undefined ? <Skeleton className="h-4 w-20" /> : <Sparkline days={requests} />}
      </Cell>
      <Cell className="w-0 text-end">
        {revokedAt === null ? <Actions name={name} blocked={blocked} onAction={onAction} /> : null}
      </Cell>
    </Row>
  );
}

function Actions({
  name,
  blocked,
  onAction,
}: Pick<KeyRowProps, 'blocked' | 'onAction'> & { readonly name: string }) {
  const trigger = (
    <button type="button" aria-label={`Actions for ${name}`} className={buttonClass('ghost', 'small-icon')}>
      <Ellipsis size={16} aria-hidden />
    </button>
  );
  return (
    <Menu trigger={trigger} align="end">
      <MenuItem icon={RefreshCw} blocked={blocked} onSelect={() => onAction('rotate')}>
        Rotate…
      </MenuItem>
      <MenuItem icon={KeySquare} blocked={blocked} dangerous onSelect={() => onAction('revoke')}>
        Revoke…
      </MenuItem>
    </Menu>
  );
}

const ModeBadge = ({ mode }: Pick<ApiKey, 'mode'>) =>
  mode === 'live' ? <Badge tone="good">Live</Badge> : <Badge tone="warn">Test</Badge>;
