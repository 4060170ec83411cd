import { LOCALE } from './locale.ts';

const number = new Intl.NumberFormat(LOCALE);
const compact = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });
const change = new Intl.NumberFormat(LOCALE, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});
const bytes = new Intl.NumberFormat(LOCALE, {
  style: 'unit',
  unit: 'byte',
  notation: 'compact',
  unitDisplay: 'narrow',
});

/** "12,345" */
export const formatNumber = (value: number): string => number.format(value);
/** "12.3K" */
export const formatCompact = (value: number): string => compact.format(value);
/** 0.125 is "12.5%". */
export const formatPercent = (share: number): string => percent.format(share);
/** 0.12 is "+12%". */
export const formatChange = (ratio: number): string => change.format(ratio);
/** "12KB" */
export const formatBytes = (size: number): string => bytes.format(size);
