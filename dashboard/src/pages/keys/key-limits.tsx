import type { ApiKey, Time } from '@svc/sdk';
import { BURST_LIMIT_MAX } from '@svc/service/dashboard/limits';
import type { KeyDetails } from '@svc/service/dashboard/wire';
import type { KeyLimits } from '../../api/keys.ts';
import { DAY_MS } from '../../format/ms.ts';
import { fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';

/** The limits as a person types them. */
export interface TypedLimits {
  /** A day, `2027-01-31`, or nothing. */
  readonly expiry: string;
  readonly networks: string;
  readonly burst: string;
}

export const NO_LIMITS: TypedLimits = { expiry: '', networks: '', burst: '' };

/** Names of the fields in the errors of the service. */
export const LIMIT_FIELDS = ['expiresAt', 'allowedNetworks', 'burstLimit'] as const;

export const typedLimits = ({ key, allowedNetworks, burstLimit }: KeyDetails): TypedLimits => ({
  expiry: key.expiresAt === null ? '' : dayOf(key.expiresAt),
  networks: allowedNetworks?.join(', ') ?? '',
  burst: burstLimit?.toString() ?? '',
});

/** A key expires when its day begins, in UTC. */
export function limitsOf({ expiry, networks, burst }: TypedLimits): KeyLimits {
  const ranges = networks.split(/[\s,;]+/).filter((range) => range !== '');
  return {
    expiresAt: expiry === '' ? null : `${expiry}T00:00:00Z`,
    allowedNetworks: ranges.length === 0 ? null : ranges,
    burstLimit: burst === '' ? null : Number(burst),
  };
}

const LAST_DAY_MS = Date.UTC(9999, 11, 31);

const dayOf = (time: Time): string => time.slice(0, 10);

/** The day in UTC after so many days. The years of the API have four digits. */
const dayIn = (days: number): string =>
  dayOf(new Date(Math.min(Date.now() + days * DAY_MS, LAST_DAY_MS)).toISOString());

/** The first day, in UTC, on which a key can expire. */
const tomorrow = (): string => dayIn(1);

/** The day on which a new key has lived as long as the old one from its creation to its expiry date; empty without one. */
export function sameLifetime({ createdAt, expiresAt }: ApiKey): string {
  if (expiresAt === null) return '';
  const days = (Date.parse(dayOf(expiresAt)) - Date.parse(dayOf(createdAt))) / DAY_MS;
  return dayIn(Math.max(days, 1));
}

export interface LimitFieldsProps {
  readonly limits: TypedLimits;
  /** The present expiry date of the key, which may be past. Default: none. */
  readonly presentExpiry?: string;
  readonly onChange: (limits: TypedLimits) => void;
  readonly error: Error | null;
}

export const LimitFields = ({ limits, presentExpiry, onChange, error }: LimitFieldsProps) => (
  <>
    <TextField
      label="Expiry date (optional)"
      hint="The key is refused from the start of this day, UTC. You are warned 7 days before."
      type="date"
      min={limits.expiry !== '' && limits.expiry === presentExpiry ? undefined : tomorrow()}
      value={limits.expiry}
      onChange={(expiry) => onChange({ ...limits, expiry })}
      error={fieldError(error, 'expiresAt')}
    />
    <TextField
      label="Allowed networks (optional)"
      hint="IPv4 and IPv6 addresses or CIDR ranges, separated by commas. Leave empty to allow any address."
      placeholder="203.0.113.0/24, 2001:db8::/32"
      autoComplete="off"
      value={limits.networks}
      onChange={(networks) => onChange({ ...limits, networks })}
      error={fieldError(error, 'allowedNetworks')}
    />
    <TextField
      label="Burst limit (optional)"
      hint="Requests per second. If the workspace has a burst limit too, the lower one applies."
      type="number"
      min={1}
      max={BURST_LIMIT_MAX}
      value={limits.burst}
      onChange={(burst) => onChange({ ...limits, burst })}
      error={fieldError(error, 'burstLimit')}
    />
  </>
);
