import { counted } from '../../../format/plural.ts';

/** What a replay has started, for a toast. A disabled endpoint gets it later. Null: the number is not known. */
export const replayedText = (replayed: number | null): string =>
  replayed === null
    ? 'The events will be sent again.'
    : replayed === 0
      ? 'There is nothing to send again.'
      : `${counted(replayed, ['delivery', 'deliveries'])} will be sent again.`;
