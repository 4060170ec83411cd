import { formatNumber } from '../../../format/number.ts';
import { counted } from '../../../format/plural.ts';
import { ExportDialog } from '../../../list/export-dialog.tsx';
import { listFile } from '../../../list/exported-file.ts';
import type { Total } from '../../../list/total.ts';
import { nounOf } from '../../../resources/labels.ts';
import type { ResourceContract } from '../../../resources/resources.ts';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { isFiltered } from '../data-search.ts';
import { listPath } from '../record-query.ts';

export interface ExportListProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  /** The filters and the sort of the list. */
  readonly params: Readonly<Record<string, string>>;
  readonly total: Total | undefined;
  readonly onClose: () => void;
}

const HINTS = {
  csv: 'For spreadsheets: texts that look like formulas get an apostrophe',
  ndjson: 'One record per line, as in the API, and for an import',
} as const;

/** Saves the filtered list as a file, in its order. */
export default function ExportList({ workspaceId, resource, params, total, onClose }: ExportListProps) {
  const { name, plural } = resource;
  const noun = nounOf(resource);
  return (
    <ExportDialog
      title={`Export ${plural}`}
      description={
        isFiltered(params)
          ? `All ${plural} that match the filters, in the order of the list.`
          : `All ${plural}, in the order of the list.`
      }
      hints={HINTS}
      name={name}
      fileOf={(format) =>
        listFile({
          path: listPath(workspaceId, name),
          params,
          format,
          fields: Object.keys(resource.fields),
        })
      }
      progress={(count) => (
        <ProgressBar label={`Export of ${plural}`} share={shareOf(count, total)}>
          <span className="font-medium tabular-nums">{counted(count, noun)}</span>
          {total === undefined || total.more ? null : (
            <span className="text-soft tabular-nums">of {formatNumber(total.count)}</span>
          )}
        </ProgressBar>
      )}
      done={(count) => `${counted(count, noun)} exported.`}
      again="Continue"
      onClose={onClose}
    />
  );
}

/** Null if there is no exact total. Records may be added and deleted meanwhile, so the count can exceed the total. */
const shareOf = (count: number, total: Total | undefined): number | null =>
  total === undefined || total.more ? null : total.count === 0 ? 0 : Math.min(1, count / total.count);
