import { LOCALE } from './locale.ts';

const number = new Intl.NumberFormat(LOCALE);
const compact = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });
const change = new Intl.NumberFormat(LOCALE, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});
/** As the limits of the service: 1 KiB is 1,024 bytes. */
const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
const UNIT_BYTES = 1024;
const TENTHS = 10;

/** "12,345" */
export const formatNumber = (value: number): string => number.format(value);
/** "12.3K" */
export const formatCompact = (value: number): string => compact.format(value);
/** 0.125 is "12.5%". Only 0 is "0%" and only 1 is "100%": a part of all is never shown as none or all. */
export const formatPercent = (share: number): string =>
  percent.format(share > 0 && share < 1 ? Math.min(Math.max(share, 0.001), 0.999) : share);
/** 0.12 is "+12%". */
export const formatChange = (ratio: number): string => change.format(ratio);
/** "237 B", "11.8 KiB". Rounded up, so that a size above a limit does not look like the limit. */
export function formatBytes(size: number): string {
  const unit = BYTE_UNITS.findLastIndex((_, i) => size >= UNIT_BYTES ** i);
  const value = Math.ceil((size / UNIT_BYTES ** Math.max(unit, 0)) * TENTHS) / TENTHS;
  return `${number.format(value)} ${BYTE_UNITS[unit] ?? 'B'}`;
}
