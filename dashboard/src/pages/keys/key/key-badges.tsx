import type { ApiKey } from '@svc/sdk';
import { DAY_MS } from '../../../format/ms.ts';
import { When } from '../../../format/when.tsx';
import { Badge } from '../../../ui/badge.tsx';

const WARNING_DAYS = 7;

export const ModeBadge = ({ mode }: Pick<ApiKey, 'mode'>) =>
  mode === 'live' ? <Badge tone="good">Live</Badge> : <Badge tone="warn">Test</Badge>;

export const accessText = ({ access }: Pick<ApiKey, 'access'>): string =>
  access === 'write' ? 'Read and write' : 'Read';

export const isExpired = ({ expiresAt }: Pick<ApiKey, 'expiresAt'>): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.now();

/** When a key expires: as a warning if that is soon. Nothing for a key that does not expire, or is revoked. */
export function ExpiryBadge({ apiKey: { expiresAt, revokedAt } }: { readonly apiKey: ApiKey }) {
  if (expiresAt === null || revokedAt !== null) return null;
  const leftMs = Date.parse(expiresAt) - Date.now();
  return (
    <Badge tone={leftMs <= 0 ? 'bad' : leftMs <= WARNING_DAYS * DAY_MS ? 'warn' : 'neutral'}>
      {leftMs <= 0 ? 'Expired' : 'Expires'} <When at={expiresAt} form="upcoming" />
    </Badge>
  );
}

/** Whether a key is accepted, and if not, why. */
export function KeyState({ apiKey }: { readonly apiKey: ApiKey }) {
  const { revokedAt, pausedAt } = apiKey;
  if (revokedAt !== null) return <Badge tone="bad">Revoked</Badge>;
  if (isExpired(apiKey)) return <Badge tone="bad">Expired</Badge>;
  return pausedAt === null ? <Badge tone="good">Active</Badge> : <Badge tone="warn">Paused</Badge>;
}
