import type { Transitions } from '@svc/sdk/contract';
import { ArrowRight } from 'lucide-react';
import { useRef } from 'react';
import { isFailure, messageOf } from '../../api/failure.ts';
import { fieldLabel, toneOf, valueLabel } from '../../resources/labels.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { keptFocus } from '../../ui/move-focus.ts';
import { Problem } from '../../ui/problem.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { type ReadRecord, useChangeRecord } from './record-query.ts';

export interface StatusMovesProps {
  readonly workspaceId: string;
  /** Name of the resource. */
  readonly resource: string;
  readonly transitions: Transitions;
  readonly read: ReadRecord;
  /** Why the person may not change the status; undefined if they may. */
  readonly blocked: string | undefined;
}

/** The state of a record, with a button for each allowed change of state. */
export function StatusMoves(props: StatusMovesProps) {
  const { workspaceId, resource, transitions, read, blocked } = props;
  const { field, moves } = transitions;
  const change = useChangeRecord(workspaceId, resource, read);
  const state = String(read.record[field]);
  const group = useRef<HTMLDivElement>(null);
  const move = async (to: string): Promise<void> => {
    const used = document.activeElement;
    if (!(await change.run({ [field]: to }))) return;
    toast(`${fieldLabel(field)} changed to ${valueLabel(to).toLowerCase()}.`);
    // The button disappears: the new state has other moves.
    if (keptFocus(used)) group.current?.focus();
  };
  return (
    <Card className="flex flex-col gap-3 px-4 py-3">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form. */}
      <div
        ref={group}
        role="group"
        aria-label={fieldLabel(field)}
        tabIndex={-1}
        className="flex flex-wrap items-center gap-x-4 gap-y-2"
      >
        <span className="flex items-center gap-2">
          <span className="text-soft">{fieldLabel(field)}</span>
          <Badge tone={toneOf(state)}>{valueLabel(state)}</Badge>
        </span>
        <span className="flex flex-wrap items-center gap-2">
          {(moves[state] ?? []).map((to) => (
            <Button
              key={to}
              size="small"
              blocked={blocked}
              busy={change.isPending && change.variables?.[field] === to}
              onClick={() => void move(to)}
            >
              <ArrowRight size={13} aria-hidden />
              {valueLabel(to)}
            </Button>
          ))}
        </span>
      </div>
      {change.error === null ? null : (
        <Problem>
          {isFailure(change.error, 'precondition_failed')
            ? 'Somebody else changed this record, so its status was not changed. Look at it, then try again.'
            : messageOf(change.error)}
        </Problem>
      )}
    </Card>
  );
}
