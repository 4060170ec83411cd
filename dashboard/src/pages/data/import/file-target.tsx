import { type DragEvent, type ReactNode, useState } from 'react';
import { classes } from '../../../ui/classes.ts';

export interface FileTargetProps {
  /** Undefined if the area takes no files. */
  readonly onFile: ((file: File) => void) | undefined;
  readonly children: ReactNode;
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

/** An area on which a file can be dropped. A button does the same. */
export function FileTarget({ onFile, children }: FileTargetProps) {
  const [over, setOver] = useState(false);
  if (onFile === undefined) return children;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a button does the same
    <div
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        const [file] = event.dataTransfer.files;
        if (file === undefined) return;
        event.preventDefault();
        onFile(file);
      }}
      className={classes('rounded-lg', over && 'outline-2 outline-offset-2 outline-accent')}
    >
      {children}
    </div>
  );
}
