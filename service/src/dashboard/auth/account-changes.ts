import type { FastifyRequest } from 'fastify';
import type pg from 'pg';
import type { EventTarget, NewEvent } from '../../audit-log/entry.ts';
import { lockPerson } from '../people/recovery.ts';
import { acting, anonymous, authHeaders } from '../requests/session.ts';
import { recordPersonal } from './events.ts';
import type { DashboardAuth } from './index.ts';

type EventOf = (target: EventTarget, sessionsEnded: number) => NewEvent | undefined;

const ended: EventOf = (target, sessions) =>
  sessions === 0 ? undefined : { kind: 'session.ended', target, details: { sessions } };

/**
 * The paths of better-auth where a signed-in person changes their account or ends sessions, and what each leaves in the
 * log; undefined: nothing has changed. A second factor is logged by a hook, when it is switched on or off.
 */
const EVENTS = {
  '/sign-out': ended,
  '/revoke-session': ended,
  '/revoke-sessions': ended,
  '/revoke-other-sessions': ended,
  '/change-password': (target, sessionsEnded) => ({
    kind: 'account.password_changed',
    target,
    details: { sessionsEnded },
  }),
  '/two-factor/enable': (target) => ({ kind: 'account.second_factor_started', target }),
  '/two-factor/disable': () => undefined,
  '/two-factor/generate-backup-codes': (target) => ({ kind: 'account.backup_codes_created', target }),
} as const satisfies Readonly<Record<string, EventOf>>;

export type AccountChange = keyof typeof EVENTS;

/** better-auth's name for a current password that is not right. */
const WRONG_PASSWORD = 'INVALID_PASSWORD';

/** Runs a change by better-auth and its entry in the log as one transaction. A wrong current password is logged too. */
export function logAccountChange(
  auth: DashboardAuth,
  request: FastifyRequest,
  path: AccountChange,
  run: () => Promise<Response>,
): Promise<Response> {
  return auth.database.transact(anonymous(request), async (client) => {
    const found = await auth.api.getSession({
      headers: authHeaders(request),
      query: { disableRefresh: true },
    });
    const person = found?.user;
    // No session of the person starts until this ends: a new password would not end it.
    if (person !== undefined) await lockPerson(client, person.id);
    const before = await countSessions(client, person?.id);
    const response = await run();
    if (person === undefined) return response;
    const after = await countSessions(client, person.id);
    const wrong = !response.ok && (await codeOf(response)) === WRONG_PASSWORD;
    if (!response.ok && !wrong) return response;
    await recordPersonal(client, acting(request, person), person, (target) =>
      wrong
        ? { kind: 'account.password_check_failed', target, details: { action: path.slice(1) } }
        : EVENTS[path](target, Math.max(0, before - after)),
    );
    return response;
  });
}

async function countSessions(client: pg.ClientBase, userId: string | undefined): Promise<number> {
  const { rows } = await client.query<{ sessions: number }>(
    'select count(*)::int as sessions from sessions where user_id = $1 and expires_at > now()',
    [userId ?? null],
  );
  return rows[0]?.sessions ?? 0;
}

async function codeOf(response: Response): Promise<unknown> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
}
