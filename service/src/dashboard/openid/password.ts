import { APIError } from 'better-auth/api';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../http/errors.ts';
import { countFailure, sessionBudgets } from '../auth/attempts.ts';
import { recordPersonal } from '../auth/events.ts';
import type { DashboardContext } from '../context.ts';
import { acting, authHeaders, type Person } from '../requests/session.ts';

/**
 * Throws `invalid_body` unless this is the current password of the signed-in person. Logs and counts a wrong one. `action`:
 * what the person tries to do, for the log.
 */
export async function requirePassword(
  { auth, people }: Pick<DashboardContext, 'auth' | 'people'>,
  request: FastifyRequest,
  person: Person,
  password: string,
  action: string,
): Promise<void> {
  const by = acting(request, person);
  const isRight = await countFailure(
    people,
    sessionBudgets(person.id),
    () =>
      auth.database.run(by, async () => {
        try {
          await auth.api.verifyPassword({ body: { password }, headers: authHeaders(request) });
          return true;
        } catch (error) {
          if (error instanceof APIError && error.body?.code === 'INVALID_PASSWORD') return false;
          throw error;
        }
      }),
    (right) => !right,
  );
  if (isRight) return;
  const event = { kind: 'account.password_check_failed', details: { action } } as const;
  await auth.database.transact(by, (client) => recordPersonal(client, by, person, event));
  throw new ApiError('invalid_body', 'The password is wrong.');
}
