import { IMPORT_MAX_BYTES } from '@svc/service/dashboard/limits';
import { FileUp } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { formatBytes } from '../../../format/number.ts';
import { classes } from '../../../ui/classes.ts';

export interface FileDropProps {
  readonly file: File | undefined;
  readonly onFile: (file: File) => void;
}

/** A button that takes a dropped file. A click or Enter opens the file chooser of the browser. */
export function FileDrop({ file, onFile }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped !== undefined) onFile(dropped);
  };
  return (
    <>
      <button
        type="button"
        onClick={() => input.current?.click()}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={classes(
          'flex flex-col items-center gap-1.5 rounded-lg border border-dashed px-4 py-6 text-center hover:bg-hover',
          over ? 'border-accent bg-accent-ground' : 'border-edge bg-sunken',
        )}
      >
        <FileUp size={20} aria-hidden className="text-soft" />
        {file === undefined ? (
          <>
            <span className="font-medium">Drop a CSV, NDJSON or JSON file here, or click to choose one</span>
            <span className="text-sm text-soft">{`At most ${formatBytes(IMPORT_MAX_BYTES)}. Import larger files with svcd import.`}</span>
          </>
        ) : (
          <>
            <span className="max-w-full truncate font-medium">{file.name}</span>
            <span className="text-sm text-soft">{formatBytes(file.size)} · Choose another file</span>
          </>
        )}
      </button>
      <input
        ref={input}
        type="file"
        aria-label="File"
        tabIndex={-1}
        accept=".csv,.ndjson,.jsonl,.json,text/csv,application/x-ndjson"
        className="sr-only"
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          if (chosen !== undefined) onFile(chosen);
          // Reset, so that the same file can be chosen again after it was corrected.
          target.value = '';
        }}
      />
    </>
  );
}
