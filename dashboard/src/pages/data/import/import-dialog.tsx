import { requiredFields, writableFields } from '@svc/sdk/contract';
import type { ImportAnswer } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useAction } from '../../../api/action.ts';
import { ofWorkspace } from '../../../api/client.ts';
import { isFailure, messageOf } from '../../../api/failure.ts';
import { newIdempotencyKey } from '../../../api/idempotency-key.ts';
import { mayHaveWritten, UnreadableFile, upload } from '../../../api/upload.ts';
import { counted } from '../../../format/plural.ts';
import { nounOf } from '../../../resources/labels.ts';
import type { ResourceContract } from '../../../resources/resources.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/form/checkbox.tsx';
import { intoView } from '../../../ui/into-view.ts';
import { Dialog, DialogActions } from '../../../ui/popup/dialog.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { type ColumnMap, columnsParameter, guessColumns, missingFields } from './column-map.ts';
import { FileDrop } from './file-drop.tsx';
import { CONTENT_TYPES, type FileHead, readHead } from './file-head.ts';
import { ImportProgress } from './import-progress.tsx';
import { ImportReport, ImportResult } from './import-result.tsx';
import { PreviewTable } from './preview-table.tsx';
import { useSampleCheck } from './sample-check.ts';

export interface ImportDialogProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  /** A file that was already dropped on the page. */
  readonly dropped: File | undefined;
  readonly onClose: () => void;
}

/** How the chosen file is imported. Another way is another import, with an Idempotency-Key of its own. */
interface Chosen {
  readonly file: File;
  readonly key: string;
  /** Null: as the names of the columns suggest. */
  readonly map: ColumnMap | null;
  readonly replace: boolean;
}

interface Request {
  readonly chosen: Chosen;
  readonly head: FileHead;
  readonly map: ColumnMap;
  readonly dryRun: boolean;
}

const REFUSALS = ['invalid_body', 'idempotency_mismatch', 'payload_too_large'] as const;

const choose = (file: File): Chosen => ({ file, key: newIdempotencyKey(), map: null, replace: false });

/** Imports a file: choose it, map its columns, check it, follow the progress, read which lines were refused. */
export default function ImportDialog({ workspaceId, resource, dropped, onClose }: ImportDialogProps) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState(() => dropped && choose(dropped));
  const [share, setShare] = useState(0);
  /** Key of the last import of which records may have been written. */
  const [begun, setBegun] = useState<string | null>(null);
  const stop = useRef(new AbortController());
  const file = chosen?.file;
  const read = useHead(file);
  const head = typeof read === 'string' ? null : read;
  const map = chosen?.map ?? (head === null ? [] : guessColumns(resource, head.columns));
  const refused = useSampleCheck(workspaceId, resource, head, map);
  const send = useAction({
    mutationFn: async ({ chosen: { file: from, key, replace }, head: of, map: columns, dryRun }: Request) => {
      stop.current = new AbortController();
      setShare(0);
      const renamed = columnsParameter(of.columns, columns);
      const query = new URLSearchParams({
        fileName: from.name,
        ...(renamed === undefined ? {} : { columns: renamed }),
        ...(replace ? { existing: 'replace' } : {}),
        ...(dryRun ? { dryRun: 'true' } : {}),
      });
      return upload<ImportAnswer>(ofWorkspace(workspaceId, `/imports/${resource.name}?${query}`), {
        file: from,
        contentType: CONTENT_TYPES[of.format],
        idempotencyKey: key,
        onProgress: setShare,
        signal: stop.current.signal,
      });
    },
    // Also after a failure, because the records written so far stay.
    onSettled: (_data, error, { chosen: { key }, dryRun }) => {
      if (dryRun) return;
      if (error !== null && mayHaveWritten(error)) setBegun(key);
      void client.resetQueries({ queryKey: ['list', ofWorkspace(workspaceId, `/data/${resource.name}`)] });
      void client.invalidateQueries({ queryKey: ['workspace', workspaceId] });
    },
  });
  const busy = send.isPending;
  const dry = send.variables?.dryRun === true;
  const report = dry ? send.data : undefined;
  // A refused file must be corrected first, and an unreadable one be chosen again.
  const repeatable =
    !dry && !(send.error instanceof UnreadableFile) && !REFUSALS.some((code) => isFailure(send.error, code));
  const change = (next: Partial<Chosen>): void => {
    if (chosen !== undefined) setChosen({ ...chosen, key: newIdempotencyKey(), ...next });
    send.reset();
  };
  const missing = head === null ? [] : missingFields(resource, map);
  const blocked =
    file === undefined
      ? 'Choose a file first.'
      : head === null
        ? 'This file cannot be imported.'
        : missing.length > 0
          ? `Choose a column for ${missing.join(', ')}.`
          : undefined;
  const start = (dryRun: boolean): void => {
    if (chosen !== undefined && head !== null) void send.run({ chosen, head, map, dryRun });
  };
  const noun = nounOf(resource);
  const replaces = chosen?.replace === true;
  return (
    <Dialog
      wide
      open
      // The refused lines are shown only once.
      dismissable={!busy && (dry || (send.data?.refused ?? 0) === 0)}
      onOpenChange={onClose}
      title={`Import ${resource.plural}`}
      description="CSV with a header row, NDJSON with one record per line, or a JSON array. Valid rows are imported, invalid rows are reported."
    >
      {send.data !== undefined && !dry ? (
        <ImportResult
          answer={send.data}
          noun={noun}
          name={resource.name}
          onClose={onClose}
          onAnother={() => {
            setChosen(undefined);
            send.reset();
          }}
        />
      ) : busy ? (
        <ImportProgress
          name={file?.name ?? ''}
          share={share}
          dryRun={dry}
          onStop={() => stop.current.abort()}
        />
      ) : (
        <div className="flex flex-col gap-4">
          <FileDrop
            file={file}
            onFile={(next) => {
              setChosen(choose(next));
              send.reset();
            }}
          />
          {typeof read === 'string' ? <Problem>{read}</Problem> : null}
          {head === null ? (
            <ImportFields resource={resource} />
          ) : (
            <>
              <PreviewTable
                resource={resource}
                head={head}
                map={map}
                refused={refused}
                onChange={(next) => change({ map: next })}
              />
              <Checkbox checked={replaces} onChange={(replace) => change({ replace })}>
                Replace records whose id exists
              </Checkbox>
            </>
          )}
          {report === undefined ? null : (
            <div ref={intoView} className="flex scroll-mb-20 flex-col gap-4">
              <ImportReport answer={report} noun={noun} dryRun={replaces ? 'replace' : 'keep'} />
            </div>
          )}
          {send.error === null ? null : (
            <div ref={intoView} className="scroll-mb-20">
              <Problem>
                {messageOf(send.error)}
                {repeatable && begun === chosen?.key
                  ? ' Records that were written stay. “Try again” adds the rest.'
                  : ''}
              </Problem>
            </div>
          )}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button blocked={blocked} onClick={() => start(true)}>
              Check file
            </Button>
            <Button
              variant="primary"
              blocked={
                blocked ??
                (replaces && report === undefined && !(send.error !== null && repeatable)
                  ? 'Check the file first, to see how many records it replaces.'
                  : undefined)
              }
              onClick={() => start(false)}
            >
              {send.error !== null && repeatable
                ? 'Try again'
                : replaces && report !== undefined
                  ? `Import and replace ${counted(report.existing, noun)}`
                  : 'Import'}
            </Button>
          </DialogActions>
        </div>
      )}
    </Dialog>
  );
}

/** The beginning of the file, or why it cannot be imported. Null: there is no file, or it is being read. */
function useHead(file: File | undefined): FileHead | string | null {
  const [read, setRead] = useState<FileHead | string | null>(null);
  useEffect(() => {
    let current = true;
    setRead(null);
    if (file !== undefined) {
      readHead(file).then(
        (head) => current && setRead(head),
        () => current && setRead(new UnreadableFile().message),
      );
    }
    return () => {
      current = false;
    };
  }, [file]);
  return read;
}

function ImportFields({ resource }: { readonly resource: ResourceContract }) {
  const required = requiredFields(resource, 'import');
  return (
    <p className="text-sm text-soft">
      Fields:{' '}
      {Object.keys(writableFields(resource, 'import')).map((name, i) => (
        <span key={name}>
          {i === 0 ? '' : ', '}
          <code className={required.includes(name) ? 'text-ink' : undefined}>{name}</code>
          {required.includes(name) ? ' (required)' : ''}
        </span>
      ))}
    </p>
  );
}
