import { counted } from '@svc/service/config/plural';
import type { BackupReport } from './database.ts';

const BYTES_PER_MB = 1_000_000;
const MS_PER_SECOND = 1_000;

/** `1,234 rows of 28 tables (12 MB as text) in 1.2 s` */
export function describeRows({ rows, tables, bytes }: BackupReport, startedMs: number): string {
  const seconds = ((performance.now() - startedMs) / MS_PER_SECOND).toFixed(1);
  const text = `${Math.ceil(bytes / BYTES_PER_MB)} MB as text`;
  return `${counted(rows, 'row', 'rows')} of ${counted(tables, 'table', 'tables')} (${text}) in ${seconds} s`;
}
