import type { Binding } from '@svc/deployment-secrets/cursors';
import { weakEtag } from '@svc/http-content/etag';
import type { Direction } from '@svc/sdk/contract';
import { ETAG_LIFETIME_SECONDS } from '../config/limits.ts';
import type { Page } from './definition.ts';

/**
 * The ETag of a page: a hash of its items and of what its cursors are made from, because sealing them would cost more.
 * `seal` is all of that except the gaps. The ETag changes if the cursors become unusable: if they expire, or have another
 * issuing secret or another binding. A page without cursors does not depend on `seal`.
 */
export function etagOf(
  page: Page,
  direction: Direction,
  workspaceId: string,
  seal: readonly [issuedAtMs: number, issuer: string, binding: Binding],
): string {
  const { data, hasMore, start, end, total, position } = page;
  const cursors = start === null && end === null ? null : [...seal, start, end];
  // The direction decides which of the two cursors is `nextCursor`.
  const more = hasMore ? direction : null;
  const place = position === undefined ? [] : [position];
  return weakEtag(`${JSON.stringify([workspaceId, more, total, cursors, ...place])}\n${data}`);
}

/**
 * The issue time that the ETag of a page is computed from. The cursors of a response change every second. This time changes
 * only every ETAG_LIFETIME_SECONDS: the ETag of an unchanged page mostly stays the same, and a page that a 304 declares
 * current has no expired cursor.
 */
export const tagTime = (nowMs: number): number => nowMs - (nowMs % (ETAG_LIFETIME_SECONDS * 1000));
