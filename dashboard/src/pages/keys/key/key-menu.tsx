import type { ApiKey } from '@svc/sdk';
import {
  Ellipsis,
  KeyRound,
  KeySquare,
  Pause,
  Pencil,
  Play,
  RefreshCw,
  Replace,
  ScrollText,
} from 'lucide-react';
import { buttonClass } from '../../../ui/button.tsx';
import { Menu, MenuItem } from '../../../ui/popup/menu.tsx';

export type KeyAction = 'edit' | 'log' | 'open' | 'pause' | 'replace' | 'rotate' | 'revoke';

export interface KeyMenuProps {
  /** A key that is not revoked. */
  readonly apiKey: ApiKey;
  /** Why the person may not change keys; undefined if they may. */
  readonly blocked: string | undefined;
  /** Whether it is on the page of the key, next to other buttons. Default: false. */
  readonly onPage?: boolean;
  readonly onAction: (action: KeyAction) => void;
}

/** What a person can do with a key. */
export function KeyMenu({ apiKey: { name, pausedAt }, blocked, onPage = false, onAction }: KeyMenuProps) {
  const paused = pausedAt !== null;
  const look = onPage ? buttonClass('secondary', 'icon') : buttonClass('ghost', 'small-icon');
  const trigger = (
    <button type="button" aria-label={`Actions for ${name}`} className={look}>
      <Ellipsis size={16} aria-hidden />
    </button>
  );
  return (
    <Menu trigger={trigger} align="end">
      {onPage ? null : (
        <MenuItem icon={KeyRound} onSelect={() => onAction('open')}>
          Open
        </MenuItem>
      )}
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
