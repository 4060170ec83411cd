import { requiredFields, writableFields } from '@svc/sdk/contract';
import type { ImportAnswer } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useAction } from '../../../api/action.ts';
import { ofWorkspace } from '../../../api/client.ts';
import { isFailure, messageOf } from '../../../api/failure.ts';
import { newIdempotencyKey } from '../../../api/idempotency-key.ts';
import { upload } from '../../../api/upload.ts';
import { nounOf } from '../../../resources/labels.ts';
import type { ResourceContract } from '../../../resources/resources.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/popup/dialog.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { FileDrop } from './file-drop.tsx';
import { CONTENT_TYPES, type FilePreview, previewOf } from './file-preview.ts';
import { ImportProgress } from './import-progress.tsx';
import { ImportResult } from './import-result.tsx';
import { PreviewTable } from './preview-table.tsx';

export interface ImportDialogProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  /** A file that was already dropped on the page. */
  readonly dropped: File | undefined;
  readonly onClose: () => void;
}

/** A file with the Idempotency-Key of its import. All attempts use the same key. Choosing a file creates a new one. */
interface Chosen {
  readonly file: File;
  readonly key: string;
}

const REFUSALS = ['invalid_body', 'idempotency_mismatch', 'payload_too_large'] as const;

const choose = (file: File): Chosen => ({ file, key: newIdempotencyKey() });

/** Imports a file: choose it, check the preview, follow the progress, read which lines were refused. */
export function ImportDialog({ workspaceId, resource, dropped, onClose }: ImportDialogProps) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState(() => dropped && choose(dropped));
  const file = chosen?.file;
  const [preview, setPreview] = useState<FilePreview | null>(null);
  const [share, setShare] = useState(0);
  const stop = useRef(new AbortController());
  useEffect(() => {
    let current = true;
    setPreview(null);
    if (file !== undefined) {
      previewOf(file, resource).then(
        (loaded) => current && setPreview(loaded),
        () => undefined,
      );
    }
    return () => {
      current = false;
    };
  }, [file, resource]);
  const importing = useAction({
    mutationFn: async ({ file: from, key, format }: Chosen & { format: FilePreview['format'] }) => {
      stop.current = new AbortController();
      setShare(0);
      const path = `/imports/${resource.name}?${new URLSearchParams({ fileName: from.name })}`;
      return upload<ImportAnswer>(ofWorkspace(workspaceId, path), {
        file: from,
        contentType: CONTENT_TYPES[format],
        idempotencyKey: key,
        onProgress: setShare,
        signal: stop.current.signal,
      });
    },
    // Also after a failure, because the records written so far stay.
    onSettled: () => {
      void client.resetQueries({ queryKey: ['list', ofWorkspace(workspaceId, `/data/${resource.name}`)] });
      void client.invalidateQueries({ queryKey: ['workspace', workspaceId] });
    },
  });
  const busy = importing.isPending;
  // A refused file must be corrected first.
  const repeatable = !REFUSALS.some((code) => isFailure(importing.error, code));
  return (
    <Dialog
      wide
      open
      dismissable={!busy}
      onOpenChange={onClose}
      title={`Import ${resource.plural}`}
      description="CSV with a header row, or NDJSON with one record per line. Valid rows are imported, invalid rows are reported. Existing ids are skipped."
    >
      {importing.data !== undefined ? (
        <ImportResult
          answer={importing.data}
          noun={nounOf(resource)}
          name={resource.name}
          onClose={onClose}
          onAnother={() => {
            setChosen(undefined);
            importing.reset();
          }}
        />
      ) : busy ? (
        <ImportProgress name={file?.name ?? ''} share={share} onStop={() => stop.current.abort()} />
      ) : (
        <div className="flex flex-col gap-4">
          <FileDrop
            file={file}
            onFile={(next) => {
              setChosen(choose(next));
              importing.reset();
            }}
          />
          {preview === null ? <ImportFields resource={resource} /> : <PreviewTable preview={preview} />}
          {importing.error === null ? null : (
            <Problem>
              {messageOf(importing.error)}
              {repeatable ? ' Records that were written stay. “Try again” adds the rest.' : ''}
            </Problem>
          )}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              variant="primary"
              blocked={preview === null ? 'Choose a file first.' : undefined}
              onClick={() => {
                if (chosen !== undefined && preview !== null)
                  void importing.run({ ...chosen, format: preview.format });
              }}
            >
              {importing.error !== null && repeatable ? 'Try again' : 'Import'}
            </Button>
          </DialogActions>
        </div>
      )}
    </Dialog>
  );
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
