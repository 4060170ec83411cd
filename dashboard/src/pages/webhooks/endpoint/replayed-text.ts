import { counted } from '../../../format/plural.ts';

/** What a replay has started, for a toast. Null: the number is not known. */
export const replayedText = (replayed: number | null): string =>
  replayed === null
    ? 'The events are sent again.'
    : replayed === 0
      ? 'There is nothing to send again.'
      : `${counted(replayed, ['delivery is', 'deliveries are'])} sent again.`;
