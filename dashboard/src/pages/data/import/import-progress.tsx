import { Button } from '../../../ui/button.tsx';
import { DialogActions } from '../../../ui/popup/dialog.tsx';
import { LeaveQuestion } from '../../../ui/popup/leave-question.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';

export interface ImportProgressProps {
  readonly name: string;
  /** 0 to 1. */
  readonly share: number;
  /** Whether nothing is written. */
  readonly dryRun: boolean;
  readonly onStop: () => void;
}

const WHOLE_PERCENT = 100;

export const ImportProgress = ({ name, share, dryRun, onStop }: ImportProgressProps) => (
  <div className="flex flex-col gap-3 py-2">
    {dryRun ? null : (
      <LeaveQuestion allowsSignIn>
        The import is running. If you leave, you cannot stop it, and do not see which lines are refused.
      </LeaveQuestion>
    )}
    <ProgressBar label={`${dryRun ? 'Check' : 'Import'} of ${name}`} share={share}>
      <span className="truncate font-medium">{name}</span>
      <span className="text-soft tabular-nums">
        {share < 1
          ? `${Math.floor(share * WHOLE_PERCENT)}%`
          : dryRun
            ? 'Comparing the last records…'
            : 'Writing the last records…'}
      </span>
    </ProgressBar>
    <p className="text-sm text-soft">
      {dryRun
        ? 'Nothing is written.'
        : 'If you stop, the records that were written stay. “Try again” then adds the rest.'}
    </p>
    <DialogActions>
      <Button onClick={onStop}>Stop</Button>
    </DialogActions>
  </div>
);
