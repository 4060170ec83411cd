import { capitalized } from '@svc/sdk/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useAction } from '../../../api/action.ts';
import { ApiFailure, messageOf } from '../../../api/failure.ts';
import { formatNumber } from '../../../format/number.ts';
import { counted, type Noun } from '../../../format/plural.ts';
import type { Selection } from '../../../list/selection.ts';
import { fieldLabel, nounOf, valueLabel } from '../../../resources/labels.ts';
import { type DataRecord, type ResourceContract, titleOf } from '../../../resources/resources.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/popup/dialog.tsx';
import { LeaveQuestion } from '../../../ui/popup/leave-question.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';
import { listPath } from '../record-query.ts';
import { type BulkAction, showChanges, writeRecords } from './bulk-writes.ts';
import { CHUNK_RECORDS, inChunks, type Outcome } from './in-chunks.ts';
import { RefusedRecords } from './refused-records.tsx';

export interface BulkDialogProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  readonly action: BulkAction;
  readonly selection: Selection<DataRecord>;
  /** Whether the person may still change records. */
  readonly allowed: boolean;
  readonly onClose: () => void;
}

const NAMED_MAX = 3;

/** Whether the service may have written what a request without its response asked for. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.status === 0 || error.status >= 500);

type Report = Outcome<DataRecord>;

interface Run {
  readonly items: readonly DataRecord[];
  /** What the runs before have written. Null: this is the first one. */
  readonly before: Report | null;
}

/**
 * Asks whether to write the selected records that can be written, writes them in chunks, and lists those that the service
 * refused. These and the ones that were not sent stay selected.
 */
export default function BulkDialog(props: BulkDialogProps) {
  const { workspaceId, resource, action, selection, allowed, onClose } = props;
  const client = useQueryClient();
  // The dialog keeps its records, also while the list loads others.
  const [{ possible, others }] = useState(() => split(resource, action, [...selection.items.values()]));
  const [records, setRecords] = useState<readonly DataRecord[]>(possible);
  const [count, setCount] = useState<number | null>(null);
  const [report, setReport] = useState<Report | null>(null);
  const stop = useRef(new AbortController());
  const words = wordsOf(resource, action, others.length);

  const write = async ({ items, before }: Run): Promise<void> => {
    stop.current = new AbortController();
    setRecords([...items]);
    setReport(null);
    setCount(0);
    const changed = new Map<string, DataRecord | null>();
    const outcome = await inChunks(items, {
      send: async (chunk) => {
        const written = await writeRecords(workspaceId, resource.name, action, chunk);
        const now = new Map(written.map((record) => [record.id, record]));
        for (const { id } of chunk) changed.set(id, now.get(id) ?? null);
      },
      // Somebody else has deleted it.
      isDone: ({ code }) => action.kind === 'delete' && code === 'not_found',
      onProgress: setCount,
      signal: stop.current.signal,
    });
    for (const { id } of outcome.done) if (!changed.has(id)) changed.set(id, null);
    showChanges(client, workspaceId, resource.name, changed);
    // Nobody knows whether the last request was carried out.
    if (isUnanswered(outcome.error))
      void client.resetQueries({ queryKey: ['list', listPath(workspaceId, resource.name)] });
    const refused = outcome.refused.map(({ item, reason }) => ({ item, reason: inWords(resource, reason) }));
    const all: Report = {
      ...outcome,
      done: [...(before?.done ?? []), ...outcome.done],
      refused: [...(before?.refused ?? []), ...refused],
    };
    const kept = [...all.refused.map(({ item }) => item), ...all.rest, ...others];
    selection.keep(new Set(kept.map(({ id }) => id)));
    setCount(null);
    if (all.refused.length + all.rest.length === 0) {
      toast(words.done(all.done.length));
      onClose();
      return;
    }
    setReport(all);
    if (outcome.error !== null) throw outcome.error;
  };
  const { run } = useAction({ mutationFn: write });

  const number = counted(records.length, nounOf(resource));
  return (
    <Dialog
      open
      dismissable={count === null}
      onOpenChange={onClose}
      title={report === null ? words.question(number) : words.done(report.done.length)}
    >
      {count !== null ? (
        <div className="flex flex-col gap-3">
          <LeaveQuestion allowsSignIn>
            The records are being changed. If you leave, you cannot stop it, and do not see which records are
            refused.
          </LeaveQuestion>
          <ProgressBar label={words.question(number)} share={count / records.length}>
            <span role="status">{`${formatNumber(count)} of ${number}`}</span>
          </ProgressBar>
          <DialogActions>
            <Button onClick={() => stop.current.abort()}>Stop</Button>
          </DialogActions>
        </div>
      ) : report !== null ? (
        <div className="flex flex-col gap-4">
          <RefusedRecords resource={resource} refused={report.refused} />
          {report.rest.length === 0 ? null : (
            <Problem>
              {report.error === null ? 'Stopped.' : messageOf(report.error)}{' '}
              {unsentText(report, nounOf(resource))}
            </Problem>
          )}
          <p className="text-soft">
            {isUnanswered(report.error)
              ? 'These stay selected. The list shows how they are now.'
              : `What was not written is as it was${allowed ? ', and stays selected' : ''}.`}
          </p>
          <DialogActions>
            {report.rest.length === 0 || !allowed ? null : (
              <Button onClick={() => void run({ items: report.rest, before: report })}>
                {`Continue with ${counted(report.rest.length, nounOf(resource))}`}
              </Button>
            )}
            <Button variant="primary" onClick={onClose}>
              Done
            </Button>
          </DialogActions>
        </div>
      ) : (
        <div className="flex flex-col gap-4">
          <p className="text-soft">
            <bdi className="font-medium text-ink wrap-anywhere">
              {records
                .slice(0, NAMED_MAX)
                .map((record) => titleOf(resource, record))
                .join(', ')}
            </bdi>
            {records.length > NAMED_MAX ? ` and ${formatNumber(records.length - NAMED_MAX)} more` : ''}.{' '}
            {words.consequence}
          </p>
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              variant={action.kind === 'delete' ? 'danger' : 'primary'}
              onClick={() => void run({ items: records, before: null })}
            >
              {words.button(number)}
            </Button>
          </DialogActions>
        </div>
      )}
    </Dialog>
  );
}

/** Separates the records that the action can change, as far as the dashboard knows. */
function split({ transitions }: ResourceContract, action: BulkAction, records: readonly DataRecord[]) {
  const isPossible = (record: DataRecord): boolean =>
    action.kind === 'delete' ||
    transitions?.moves[String(record[action.field])]?.includes(action.to) === true;
  return {
    possible: records.filter(isPossible),
    others: records.filter((record) => !isPossible(record)),
  };
}

/** `from draft to in_review` → "from Draft to In review", in a reason of the service. */
const inWords = ({ transitions }: ResourceContract, reason: string): string =>
  Object.keys(transitions?.moves ?? {}).reduce(
    (text, state) => text.replaceAll(new RegExp(`\\b${state}\\b`, 'g'), valueLabel(state)),
    reason,
  );

/** Says how many records were not sent, and how many may have been written by a request without a response. */
function unsentText({ rest, error }: Report, noun: Noun): string {
  if (!isUnanswered(error)) return `${counted(rest.length, noun)} not sent.`;
  const unknown = Math.min(rest.length, CHUNK_RECORDS);
  const unsent = rest.length - unknown;
  const others = unsent === 0 ? '' : ` ${counted(unsent, noun)} not sent.`;
  return `${counted(unknown, noun)} not confirmed: the last request may have been carried out.${others}`;
}

interface Words {
  readonly question: (number: string) => string;
  readonly button: (number: string) => string;
  readonly consequence: string;
  readonly done: (count: number) => string;
}

function wordsOf(resource: ResourceContract, action: BulkAction, others: number): Words {
  const number = (count: number) => counted(count, nounOf(resource));
  if (action.kind === 'delete') {
    return {
      question: (text) => `Delete ${text}?`,
      button: (text) => `Delete ${text}`,
      consequence: `${capitalized(resource.plural)} that cannot be deleted are kept and listed. This cannot be undone. The audit log and the change feed keep that they were deleted.`,
      done: (count) => `${number(count)} deleted`,
    };
  }
  const [field, to] = [fieldLabel(action.field).toLowerCase(), valueLabel(action.to)];
  return {
    question: (text) => `Change the ${field} of ${text} to ${to}?`,
    button: (text) => `Change ${text}`,
    consequence:
      others === 0 ? '' : `${counted(others, ['other stays as it is', 'others stay as they are'])}.`,
    done: (count) => `${number(count)} changed to ${to}`,
  };
}
