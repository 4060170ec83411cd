import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useAction } from '../api/action.ts';
import { messageOf } from '../api/failure.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/form/choice.tsx';
import { Dialog, DialogActions } from '../ui/popup/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { saveFile } from '../ui/save-file.ts';
import { toast } from '../ui/toast/toast-store.ts';
import { type ExportedFile, LIST_FORMATS, type ListFormat } from './exported-file.ts';

export interface ExportDialogProps {
  readonly title: string;
  readonly description: string;
  /** Says what each format is for. */
  readonly hints: Readonly<Record<ListFormat, string>>;
  /** The start of the name of the file. The day and the format follow. */
  readonly name: string;
  readonly fileOf: (format: ListFormat) => ExportedFile;
  /** Shows how much of the file has been read. */
  readonly progress: (count: number) => ReactNode;
  /** Says that the file has been saved. */
  readonly done: (count: number) => string;
  /** The button after a failure. */
  readonly again: 'Continue' | 'Try again';
  readonly onClose: () => void;
}

/** Reads a file in the chosen format and saves it. Shows the progress, and why the service refused it. */
export function ExportDialog(props: ExportDialogProps) {
  const { title, description, hints, name, fileOf, progress, done, again, onClose } = props;
  const [format, setFormat] = useState<ListFormat>('csv');
  const [count, setCount] = useState(0);
  const [file, setFile] = useState<ExportedFile | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const exporting = useAction({
    mutationFn: async () => {
      stop.current = new AbortController();
      const current = file ?? fileOf(format);
      setFile(current);
      const blob = await current.read(stop.current.signal, setCount);
      return { blob, read: current.count };
    },
    onSuccess: ({ blob, read }) => {
      const day = new Date().toISOString().slice(0, 10);
      saveFile(blob, `${name}-${day}.${format}`);
      onClose();
      toast(done(read));
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
      title={title}
      description={description}
    >
      <div className="flex flex-col gap-4">
        {file === null ? (
          <Choice
            label="Format"
            value={format}
            onChange={setFormat}
            options={FORMATS.map((value) => ({
              value,
              label: LIST_FORMATS[value].label,
              hint: hints[value],
            }))}
          />
        ) : (
          progress(count)
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
            {file === null ? 'Export' : again}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

const FORMATS = Object.keys(LIST_FORMATS) as readonly ListFormat[];
