import type { ImportReport } from '../bulk/import.ts';
import type { Resource } from '../resources/define.ts';

const number = new Intl.NumberFormat('en');

/** What an import did, in a few lines for people. */
export function describeReport(resource: Resource, report: ImportReport, seconds: number): string {
  const { inserted, existing, refused, rolledBack, interrupted } = report;
  const rate = inserted > 0 ? ` (${number.format(Math.round(inserted / seconds))} a second)` : '';
  const lines = [
    rolledBack
      ? 'Nothing was imported: all or nothing was asked for.'
      : `${count(inserted, resource.singular, resource.name)} imported in ${seconds.toFixed(1)} s${rate}.`,
    ...(existing > 0 ? [`${number.format(existing)} were there already and are as they were.`] : []),
    ...(refused > 0 ? [`${count(refused, 'line', 'lines')} refused.`] : []),
    ...(interrupted ? ['Stopped before the end of the file: run it again to go on.'] : []),
  ];
  return lines.join('\n');
}

const count = (n: number, one: string, many: string): string => `${number.format(n)} ${n === 1 ? one : many}`;
