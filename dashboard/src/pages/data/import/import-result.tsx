import { IMPORT_REFUSED_SHOWN } from '@svc/service/dashboard/limits';
import type { ImportAnswer } from '@svc/service/dashboard/wire';
import { CircleCheck, Download } from 'lucide-react';
import { formatNumber } from '../../../format/number.ts';
import { counted, type Noun } from '../../../format/plural.ts';
import { Button } from '../../../ui/button.tsx';
import { DialogActions } from '../../../ui/popup/dialog.tsx';
import { ShownOnce } from '../../../ui/popup/shown-once.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { Cell, HeadCell, Table, TableBody, TableHead } from '../../../ui/table.tsx';

export interface ImportResultProps {
  readonly answer: ImportAnswer;
  readonly noun: Noun;
  /** Name of the resource. */
  readonly name: string;
  readonly onClose: () => void;
  readonly onAnother: () => void;
}

/** The result of an import, with each refused line and its reason. */
export function ImportResult({ answer, noun, name, onClose, onAnother }: ImportResultProps) {
  const { refused, refusedLines } = answer;
  return (
    <div className="flex flex-col gap-4">
      {refused === 0 ? null : <ShownOnce what="The list of refused lines" />}
      <ImportReport answer={answer} noun={noun} />
      <DialogActions>
        {refused === 0 ? null : (
          <Button onClick={() => saveLines(refusedLines, name)}>
            <Download size={14} aria-hidden />
            Download list
          </Button>
        )}
        <Button onClick={onAnother}>Import another file</Button>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </div>
  );
}

export interface ImportReportProps {
  readonly answer: ImportAnswer;
  readonly noun: Noun;
  /** For a dry run: what happens to existing records. Default: the import has run. */
  readonly dryRun?: 'keep' | 'replace';
}

/** The counts of an import or of a dry run, and the refused lines. */
export const ImportReport = ({ answer, noun, dryRun }: ImportReportProps) => (
  <>
    <p role="status" className="flex gap-2">
      <CircleCheck size={18} aria-hidden className="mt-0.5 shrink-0 text-good" />
      <span>{dryRun === undefined ? doneText(answer, noun) : dryText(answer, noun, dryRun)}</span>
    </p>
    {answer.refused === 0 ? null : <RefusedLines lines={answer.refusedLines} total={answer.refused} />}
  </>
);

function doneText({ inserted, addedBefore, existing, replaced, refused }: ImportAnswer, noun: Noun) {
  return (
    <>
      <strong>{`${counted(inserted, noun)} imported`}</strong>
      {addedBefore === 0 ? '' : `, ${formatNumber(addedBefore)} of them by an earlier attempt`}
      {replaced === 0 ? '' : `, ${formatNumber(replaced)} replaced`}
      {existing === replaced ? '' : `, ${formatNumber(existing - replaced)} already existed, unchanged`}
      {refused === 0 ? ', none refused.' : `, ${formatNumber(refused)} refused.`}
    </>
  );
}

function dryText({ inserted, existing, refused }: ImportAnswer, noun: Noun, mode: 'keep' | 'replace') {
  const what: Noun =
    mode === 'keep'
      ? ['exists and stays as it is', 'exist and stay as they are']
      : ['exists and will be replaced', 'exist and will be replaced'];
  return (
    <>
      <strong>{`${counted(inserted, noun)} will be created`}</strong>
      {`, ${counted(existing, what)}, ${formatNumber(refused)} invalid. Nothing is written yet.`}
    </>
  );
}

interface RefusedLinesProps {
  readonly lines: ImportAnswer['refusedLines'];
  readonly total: number;
}

const RefusedLines = ({ lines, total }: RefusedLinesProps) => (
  <div className="flex flex-col gap-2">
    {lines.length === total ? null : (
      <p className="text-sm text-soft">
        {`${formatNumber(lines.length)} of ${counted(total, ['refused line', 'refused lines'])} shown.`}
        {lines.length < IMPORT_REFUSED_SHOWN
          ? ' An earlier attempt refused the others, for example because their company was missing.'
          : ''}
      </p>
    )}
    <div className="max-h-72 overflow-y-auto rounded-md border border-line">
      <Table label="Refused lines">
        <TableHead>
          <tr>
            <HeadCell>Line</HeadCell>
            <HeadCell>Reason</HeadCell>
            <HeadCell>Text</HeadCell>
          </tr>
        </TableHead>
        <TableBody>
          {lines.map(({ line, text, failures }) => (
            <tr key={line}>
              <Cell className="align-top tabular-nums">{line}</Cell>
              <Cell className="min-w-52 align-top text-sm">{failures.map(reasonOf).join('; ')}</Cell>
              <Cell className="max-w-64 truncate align-top">
                <code className="text-soft">{text}</code>
              </Cell>
            </tr>
          ))}
        </TableBody>
      </Table>
    </div>
  </div>
);

const reasonOf = ({ field, reason }: ImportAnswer['refusedLines'][number]['failures'][number]): string =>
  field === '' ? (/^[A-Z]/.test(reason) ? reason : `The line ${reason}`) : `${field.slice(1)} ${reason}`;

/** Downloads the refused lines as NDJSON. */
function saveLines(lines: ImportAnswer['refusedLines'], name: string): void {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  saveFile(new Blob([text], { type: 'application/x-ndjson' }), `refused-${name}.ndjson`);
}
