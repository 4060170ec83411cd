import { Confirm } from './confirm.tsx';

export interface DiscardChangesProps {
  readonly onDiscard: () => void;
  readonly onKeep: () => void;
}

/** Asks whether to lose what a person has entered. */
const DiscardChanges = ({ onDiscard, onKeep }: DiscardChangesProps) => (
  <Confirm
    open
    onOpenChange={onKeep}
    title="Discard your changes?"
    action="Discard"
    dangerous
    cancel="Keep editing"
    onConfirm={async () => onDiscard()}
  >
    <p>What you entered is not saved.</p>
  </Confirm>
);

// The default, so that pages load it only when they ask.
export default DiscardChanges;
