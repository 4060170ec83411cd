import { checkEntries, checkKeys, checkQuota } from './check-log.ts';
import { checkContent, checkCounts, checkCreates, checkTails, checkWalks } from './check-records.ts';
import type { History } from './history.ts';

/** A promise that the history breaks, in one sentence with the ids. */
export type Violation = string;

const CHECKS: readonly ((history: History) => readonly Violation[])[] = [
  checkCreates,
  checkContent,
  checkTails,
  checkWalks,
  checkCounts,
  checkEntries,
  checkKeys,
  checkQuota,
];

/** Every promise that the history breaks. Empty: none. */
export const checkHistory = (history: History): readonly Violation[] =>
  CHECKS.flatMap((check) => check(history));
