import type { History } from '../history.ts';
import { checkCopies } from './copies.ts';
import { checkLongPolls, checkReceivers, checkStreams } from './events.ts';
import { checkEntries, checkKeys, checkQuota } from './log.ts';
import { checkContent, checkCounts, checkCreates, checkTails, checkWalks } from './records.ts';

/** A promise that the history breaks, in one sentence with the ids. */
export type Violation = string;

const CHECKS: readonly ((history: History) => readonly Violation[])[] = [
  checkCreates,
  checkContent,
  checkTails,
  checkCopies,
  checkLongPolls,
  checkStreams,
  checkReceivers,
  checkWalks,
  checkCounts,
  checkEntries,
  checkKeys,
  checkQuota,
];

/** Every promise that the history breaks. Empty: none. */
export const checkHistory = (history: History): readonly Violation[] =>
  CHECKS.flatMap((check) => check(history));
