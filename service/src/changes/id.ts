import { hash } from 'node:crypto';
import { type Micros, timeOfMicros } from '@svc/exact-times/micros';

/**
 * Ids of changes: `chg_`, the time of the change in microseconds (11 characters), and a part of a hash of the workspace
 * (15). So the ids of a workspace sort like its changes, two workspaces have no id in common, and an id says where its
 * change is.
 */

const PREFIX = 'chg_';
/** Crockford's base 32, as in the other ids. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_DIGITS = 11;
const TAG_DIGITS = 15;
const SHAPE = /^chg_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

export function changeIdOf(workspaceId: string, at: Micros): string {
  let rest = at;
  let time = '';
  for (let i = 0; i < TIME_DIGITS; i++) {
    time = DIGITS.charAt(rest % DIGITS.length) + time;
    rest = Math.floor(rest / DIGITS.length);
  }
  return PREFIX + time + tagOf(workspaceId);
}

/** The key and the id of a change in the list of changes. Nulls: there is no change. */
export const placeOf = (
  workspaceId: string,
  at: Micros | undefined,
): readonly [key: string, id: string] | readonly [null, null] =>
  at === undefined ? [null, null] : [timeOfMicros(at), changeIdOf(workspaceId, at)];

/** The time of a change with this id. Undefined: it is not an id of a change of the workspace. */
export function timeOfChange(workspaceId: string, id: string): Micros | undefined {
  if (!SHAPE.test(id) || !id.endsWith(tagOf(workspaceId))) return undefined;
  let at = 0;
  for (const digit of id.slice(PREFIX.length, PREFIX.length + TIME_DIGITS)) {
    at = at * DIGITS.length + DIGITS.indexOf(digit);
  }
  return Number.isSafeInteger(at) && at <= LAST_TIME ? at : undefined;
}

/** 9999-12-31T23:59:59Z. PostgreSQL has later times, but a Date has not. */
const LAST_TIME = Date.parse('9999-12-31T23:59:59Z') * 1000;

/** The workspace of the last call: most calls are for the items of one page. */
let last = { workspaceId: '', tag: '' };

function tagOf(workspaceId: string): string {
  if (workspaceId !== last.workspaceId) {
    const bytes = hash('sha256', `changes of ${workspaceId}`, 'buffer');
    const tag = Array.from(bytes.subarray(0, TAG_DIGITS), (byte) => DIGITS.charAt(byte % DIGITS.length));
    last = { workspaceId, tag: tag.join('') };
  }
  return last.tag;
}
