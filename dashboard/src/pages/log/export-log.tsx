import { ofWorkspace } from '../../api/client.ts';
import { formatBytes } from '../../format/number.ts';
import { ExportDialog } from '../../list/export-dialog.tsx';
import { responseFile } from '../../list/exported-file.ts';

export interface ExportLogProps {
  readonly workspaceId: string;
  /** The filters of the list. */
  readonly params: Readonly<Record<string, string | number | undefined>>;
  readonly onClose: () => void;
}

const HINTS = { csv: 'For spreadsheets', ndjson: 'One entry per line, as in the API' } as const;

/** Saves the filtered entries as a file. The audit log has an entry of each export. */
export default function ExportLog({ workspaceId, params, onClose }: ExportLogProps) {
  return (
    <ExportDialog
      title="Export the audit log"
      description="All entries that match the filters, newest first."
      hints={HINTS}
      name="audit-log"
      fileOf={(format) => responseFile(ofWorkspace(workspaceId, '/log/export'), { ...params, format })}
      progress={(count) => <span className="tabular-nums">{formatBytes(count)} received</span>}
      done={(count) => `Audit log exported: ${formatBytes(count)}.`}
      again="Try again"
      onClose={onClose}
    />
  );
}
