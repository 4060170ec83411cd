import { useEffect, useRef, useState } from 'react';
import { useAction } from '../../../api/action.ts';
import { messageOf } from '../../../api/failure.ts';
import { formatNumber } from '../../../format/number.ts';
import { counted } from '../../../format/plural.ts';
import { LIST_FORMATS, type ListFile, type ListFormat, listFile, saveFile } from '../../../list/list-file.ts';
import type { Total } from '../../../list/total.ts';
import { nounOf } from '../../../resources/labels.ts';
import type { ResourceContract } from '../../../resources/resources.ts';
import { Button } from '../../../ui/button.tsx';
import { Choice } from '../../../ui/form/choice.tsx';
import { Dialog, DialogActions } from '../../../ui/popup/dialog.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';
import { isFiltered } from '../data-search.ts';
import { listPath } from '../record-query.ts';

export interface ExportDialogProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  /** The filters and the sort of the list. */
  readonly params: Readonly<Record<string, string>>;
  readonly total: Total | undefined;
  readonly onClose: () => void;
}

const FORMATS = [
  { value: 'csv', label: LIST_FORMATS.csv.label, hint: 'For spreadsheets, and for an import' },
  { value: 'ndjson', label: LIST_FORMATS.ndjson.label, hint: 'One record per line, as in the API' },
] as const;

/** Saves the filtered list as a file, in its order. */
export default function ExportDialog(props: ExportDialogProps) {
  const { workspaceId, resource, params, total, onClose } = props;
  const [format, setFormat] = useState<ListFormat>('csv');
  const [count, setCount] = useState(0);
  const [file, setFile] = useState<ListFile | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const noun = nounOf(resource);
  const exporting = useAction({
    mutationFn: async () => {
      stop.current = new AbortController();
      const fields = Object.keys(resource.fields);
      const path = listPath(workspaceId, resource.name);
      const current = file ?? listFile({ path, params, format, fields });
      setFile(current);
      const blob = await current.read(stop.current.signal, setCount);
      return { blob, read: current.count };
    },
    onSuccess: ({ blob, read }) => {
      const day = new Date().toISOString().slice(0, 10);
      saveFile(blob, `${resource.name}-${day}.${format}`);
      onClose();
      toast(`${counted(read, noun)} exported.`);
    },
  });
  const reset = (): void => {
    stop.current.abort();
    setFile(null);
    setCount(0);
    exporting.reset();
  };
  const stopped = exporting.error instanceof DOMException;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!exporting.isPending}
      title={`Export ${resource.plural}`}
      description={
        isFiltered(params)
          ? `All ${resource.plural} that match the filters, in the order of the list.`
          : `All ${resource.plural}, in the order of the list.`
      }
    >
      <div className="flex flex-col gap-4">
        {file === null ? (
          <Choice label="Format" value={format} onChange={setFormat} options={FORMATS} />
        ) : (
          <ProgressBar label={`Export of ${resource.plural}`} share={shareOf(count, total)}>
            <span className="font-medium tabular-nums">{counted(count, noun)}</span>
            {total === undefined || total.more ? null : (
              <span className="text-soft tabular-nums">of {formatNumber(total.count)}</span>
            )}
          </ProgressBar>
        )}
        {exporting.error === null || stopped ? null : <Problem>{messageOf(exporting.error)}</Problem>}
      </div>
      <DialogActions>
        {file === null ? (
          <Button onClick={onClose}>Cancel</Button>
        ) : (
          <Button onClick={reset}>{exporting.isPending ? 'Stop' : 'Start over'}</Button>
        )}
        {exporting.isPending ? null : (
          <Button variant="primary" onClick={() => void exporting.run()}>
            {file === null ? 'Export' : 'Continue'}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

/** Records may be added and deleted meanwhile, so the count can exceed the total. */
const shareOf = (count: number, total: Total | undefined): number =>
  total === undefined || total.count === 0 ? 0 : Math.min(1, count / total.count);
