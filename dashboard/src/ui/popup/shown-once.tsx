import { LeaveQuestion } from './leave-question.tsx';

export interface ShownOnceProps {
  /** Subject of the sentence "… is shown only once", such as "The token". */
  readonly what: string;
}

/** While rendered, asks before the page is left, also by Back, a reload or a closed tab. */
export const ShownOnce = ({ what }: ShownOnceProps) => (
  <LeaveQuestion>{what} is shown only once. Save it before you leave.</LeaveQuestion>
);
