import { isIP } from 'node:net';
import type { TrustedProxies } from './proxies.ts';

/** The most proxies in a row. */
const PROXIES_MAX = 32;

/** Reads SVC_TRUST_PROXY. Adds a sentence to `mistakes` if it is wrong. */
export function readTrustProxy(value: string | undefined, mistakes: string[]): TrustedProxies {
  if (value === undefined || value === 'false') return false;
  const count = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (count >= 1 && count <= PROXIES_MAX) return count;
  const ranges = value.split(',').map((range) => range.trim());
  if (ranges.every(isAddressRange)) return ranges.join(',');
  mistakes.push(
    `SVC_TRUST_PROXY must be false, the number of proxies that append to X-Forwarded-For (1 to ${PROXIES_MAX}), ` +
      `or their addresses, such as "10.0.0.0/8, ::1", not "${value}"` +
      `${value === 'true' ? ': clients could then set their address themselves. For one proxy, set 1' : ''}.`,
  );
  return false;
}

/** An IP address, or a CIDR range: `10.0.0.0/8`. */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (prefix === undefined) return bits > 0;
  return more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}
