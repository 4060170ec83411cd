import type { ApiKey } from '@svc/sdk';
import { Ellipsis, KeySquare, Pause, Pencil, Play, RefreshCw, Replace, ScrollText } from 'lucide-react';
import { When } from '../../format/when.tsx';
import { Badge } from '../../ui/badge.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/popup/menu.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, Row } from '../../ui/table.tsx';
import { Sparkline } from './sparkline.tsx';
import type { DayOfKey } from './usage.ts';

export type KeyAction = 'edit' | 'log' | 'pause' | 'replace' | 'rotate' | 'revoke';

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
        <Expiry at={apiKey.expiresAt} revoked={revokedAt !== null} />
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
        {revokedAt === null ? (
          <Actions name={name} paused={apiKey.pausedAt !== null} blocked={blocked} onAction={onAction} />
        ) : null}
      </Cell>
    </Row>
  );
}

const DAY_MS = 86_400_000;
const WARNING_DAYS = 7;

/** When a key expires: as a warning if that is soon. */
function Expiry({ at, revoked }: { readonly at: string | null; readonly revoked: boolean }) {
  if (at === null || revoked) return null;
  const leftMs = Date.parse(at) - Date.now();
  return (
    <div className="mt-1 text-sm">
      <Badge tone={leftMs <= 0 ? 'bad' : leftMs <= WARNING_DAYS * DAY_MS ? 'warn' : 'neutral'}>
        {leftMs <= 0 ? 'Expired' : 'Expires'} <When at={at} />
      </Badge>
    </div>
  );
}

function Actions({
  name,
  paused,
  blocked,
  onAction,
}: Pick<KeyRowProps, 'blocked' | 'onAction'> & { readonly name: string; readonly paused: boolean }) {
  const trigger = (
    <button type="button" aria-label={`Actions for ${name}`} className={buttonClass('ghost', 'small-icon')}>
      <Ellipsis size={16} aria-hidden />
    </button>
  );
  return (
    <Menu trigger={trigger} align="end">
      <MenuItem icon={Pencil} blocked={blocked} onSelect={() => onAction('edit')}>
        Edit…
      </MenuItem>
      <MenuItem icon={paused ? Play : Pause} blocked={blocked} onSelect={() => onAction('pause')}>
        {paused ? 'Resume…' : 'Pause…'}
      </MenuItem>
      <MenuItem icon={ScrollText} onSelect={() => onAction('log')}>
        Show log entries
      </MenuItem>
      <MenuItem icon={Replace} blocked={blocked} onSelect={() => onAction('replace')}>
        Replace…
      </MenuItem>
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
