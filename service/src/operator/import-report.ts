import type { ImportReport } from '../bulk/import.ts';
import { counted, numberText } from '../log/plural.ts';
import type { Resource } from '../resources/define.ts';

/** Describes the result of an import in a few lines. */
export function describeReport(resource: Resource, report: ImportReport, seconds: number): string {
  const { inserted, existing, refused, rolledBack, interrupted } = report;
  const rate = inserted > 0 ? ` (${numberText(Math.round(inserted / seconds))} per second)` : '';
  const lines = [
    rolledBack
      ? 'Nothing was imported, because of --atomic.'
      : `${counted(inserted, resource.singular, resource.name)} imported in ${seconds.toFixed(1)} s${rate}.`,
    ...(existing > 0
      ? [`${counted(existing, resource.singular, resource.name)} already existed, unchanged.`]
      : []),
    ...(refused > 0 ? [`${counted(refused, 'line', 'lines')} refused.`] : []),
    ...(interrupted ? ['Stopped before the end of the file. Run the command again to import the rest.'] : []),
  ];
  return lines.join('\n');
}
