import { Progress } from 'radix-ui';
import { Button } from '../../../ui/button.tsx';
import { DialogActions } from '../../../ui/popup/dialog.tsx';

export interface ImportProgressProps {
  readonly name: string;
  /** 0 to 1. */
  readonly share: number;
  readonly onStop: () => void;
}

const WHOLE_PERCENT = 100;

export const ImportProgress = ({ name, share, onStop }: ImportProgressProps) => (
  <div className="flex flex-col gap-3 py-2">
    <div className="flex items-baseline justify-between gap-4">
      <span className="truncate font-medium">{name}</span>
      <span className="text-soft tabular-nums">
        {share < 1 ? `${Math.floor(share * WHOLE_PERCENT)}%` : 'Writing the last records…'}
      </span>
    </div>
    <Progress.Root
      aria-label={`Import of ${name}`}
      value={Math.round(share * WHOLE_PERCENT)}
      className="h-2 overflow-hidden rounded-full bg-line"
    >
      <Progress.Indicator
        className="h-full rounded-full bg-accent transition-[width]"
        style={{ width: `${share * WHOLE_PERCENT}%` }}
      />
    </Progress.Root>
    <p className="text-sm text-soft">
      If you stop, the records that were written stay. “Try again” then adds the rest.
    </p>
    <DialogActions>
      <Button onClick={onStop}>Stop</Button>
    </DialogActions>
  </div>
);
