import { canonicalRange } from '@svc/ip-addresses';
import { isAddressRange } from '@svc/ip-addresses/trust-proxy';
import type { Connections } from '@svc/turns/lane';
import { Type } from 'typebox';
import { lookUp } from '../../database/look-up.ts';
import { statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import type { KeySettings } from '../../keys/settings.ts';
import { API_KEY_RECORDS } from '../../resources/views.ts';
import { BURST_LIMIT_MAX, KEY_NETWORKS_MAX } from '../limits.ts';
import { integerOrNull } from '../requests/body.ts';
import type { KeyDetails } from './key-wire.ts';

/** The longest text of an IPv6 range. */
const NETWORK_MAX_CHARACTERS = 49;

const NETWORKS_ALLOWED = `a list of 1 to ${KEY_NETWORKS_MAX} IP addresses or CIDR ranges, such as 203.0.113.0/24 or 2001:db8::/32, or null`;

/** The fields of the settings that a key may have, in the bodies that create or change one. */
export const SETTINGS = {
  expiresAt: Type.Optional(
    Type.Union(
      [
        Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,6})?)?Z$' }),
        Type.Null(),
      ],
      { allowed: 'a time in UTC, such as 2027-01-31T00:00:00Z, or null' },
    ),
  ),
  allowedNetworks: Type.Optional(
    Type.Union(
      [
        Type.Array(Type.String({ maxLength: NETWORK_MAX_CHARACTERS }), {
          minItems: 1,
          maxItems: KEY_NETWORKS_MAX,
        }),
        Type.Null(),
      ],
      { allowed: NETWORKS_ALLOWED },
    ),
  ),
  burstLimit: Type.Optional(integerOrNull(1, BURST_LIMIT_MAX)),
};

interface RawSettings {
  readonly expiresAt: string | null | undefined;
  readonly allowedNetworks: readonly string[] | null | undefined;
}

/** The settings that a body has, in the form that is stored. Throws `invalid_body`. */
export const parsedSettings = (
  { expiresAt, allowedNetworks }: RawSettings,
  nowMs: number,
): Partial<KeySettings> => ({
  ...(expiresAt === undefined ? {} : { expiresAt: expiresAt && futureTime(expiresAt, nowMs) }),
  ...(allowedNetworks === undefined
    ? {}
    : { allowedNetworks: allowedNetworks && networksOf(allowedNetworks) }),
});

function futureTime(text: string, nowMs: number): string {
  const ms = Date.parse(text);
  // Date.parse accepts February 30, as a day in March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text.slice(0, 10))
    throw new ApiError('invalid_body', `"expiresAt" must be a time that exists, or null.`);
  if (ms <= nowMs) throw new ApiError('invalid_body', '"expiresAt" must be in the future, or null.');
  return text;
}

/** A list of all addresses of one family and none of the other is probably meant to allow every address. */
const HALVES = [
  { all: '::/0', missing: 'IPv4', add: '0.0.0.0/0', isOther: (network: string) => network.includes('.') },
  { all: '0.0.0.0/0', missing: 'IPv6', add: '::/0', isOther: (network: string) => network.includes(':') },
] as const;

function networksOf(texts: readonly string[]): readonly string[] {
  const networks = [...new Set(texts.map(networkOf))];
  const half = HALVES.find(({ all, isOther }) => networks.includes(all) && !networks.some(isOther));
  if (half === undefined) return networks;
  throw new ApiError(
    'invalid_body',
    `"allowedNetworks" must be a list with ${half.add} too, because ${half.all} allows no ${half.missing} address.`,
  );
}

function networkOf(text: string): string {
  if (isAddressRange(text)) return canonicalRange(text);
  throw new ApiError(
    'invalid_body',
    `"allowedNetworks" must be ${NETWORKS_ALLOWED}; ${JSON.stringify(text)} is neither.`,
  );
}

const selectDetails = statement('key_details', 'request')`
  select r.doc::json as key, k.* from (${lookUp({
    select: 'allowed_networks as "allowedNetworks", burst_limit as "burstLimit", created_by as "createdBy"',
    from: 'api_keys',
  })}) k cross join (${lookUp({ select: 'doc', from: API_KEY_RECORDS })}) r`;

/** A key with its settings. Undefined: there is none. */
export async function readDetails(
  connections: Connections,
  workspaceId: string,
  keyId: string,
): Promise<KeyDetails | undefined> {
  const { rows } = await connections.query<KeyDetails>(selectDetails(workspaceId, keyId));
  return rows[0];
}
