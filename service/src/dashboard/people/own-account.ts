import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { Type } from 'typebox';
import { failedFor } from '../../database/errors.ts';
import { statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import { countDaily, countFailure, sessionBudgets } from '../auth/attempts.ts';
import { recordPersonal } from '../auth/events.ts';
import type { DashboardAuth } from '../auth/index.ts';
import type { DashboardContext } from '../context.ts';
import { ADDRESSES_PER_DAY_MAX } from '../limits.ts';
import { defineBody, email, name, text } from '../requests/body.ts';
import { acting, type Person } from '../requests/session.ts';
import type { Me } from '../wire.ts';
import { formerOf, lockPerson, passwordHashOf, saveAccount } from './accounts.ts';

const change = defineBody({
  name: Type.Optional(name),
  email: Type.Optional(email),
  /** Needed for a new email address: with it, a stranger at an open browser could take the account over. */
  currentPassword: Type.Optional(text),
});

/** Why a change was refused. */
const REFUSALS = {
  wrong: () => new ApiError('invalid_body', 'The password is wrong.'),
  taken: () => new ApiError('conflict', 'This email address cannot be used: it has an account.'),
} as const;
const TOO_MANY = `You have changed your address ${ADDRESSES_PER_DAY_MAX} times within a day. Wait.`;
type Refusal = keyof typeof REFUSALS;

/** A signed-in person changes their own name and email address. */
export function registerOwnAccount(api: FastifyInstance, { people, auth, sessions }: DashboardContext): void {
  api.patch('/me', async (request, reply): Promise<Me['user']> => {
    const person = await sessions.require(request, reply);
    const changes = change(request.body);
    const newEmail = changes.email?.toLowerCase();
    const moves = newEmail !== undefined && newEmail !== person.email;
    if (moves && changes.currentPassword === undefined) {
      throw new ApiError('invalid_body', '"currentPassword" is missing; a new email address needs it.');
    }
    const run = (): Promise<Refusal | Person> =>
      auth.database
        .transact(acting(request, person), async (client) => {
          // As it is now: another request may have changed it since the session was read.
          const before = (await lockPerson(client, person.id)) ?? person;
          if (moves && !(await isPassword(client, auth, person.id, changes.currentPassword))) {
            const details = { action: 'change-email' };
            const event = { kind: 'account.password_check_failed' as const, details };
            await recordPersonal(client, acting(request, person), { id: person.id }, event);
            return 'wrong';
          }
          const { name = before.name } = changes;
          const after = { id: person.id, name, email: moves ? newEmail : before.email };
          await write(client, acting(request, person), before, after);
          return after;
        })
        .catch((error: unknown) => {
          if (failedFor(error, 'unique_violation')) return 'taken';
          throw error;
        });
    const result = moves ? await countAddressChange(people, person, run) : await run();
    if (typeof result === 'string') throw REFUSALS[result]();
    return result;
  });
}

/** A refusal counts: it reveals a password or an account. So does a new address: the earlier one admits no newcomer. */
const countAddressChange = (
  people: DashboardContext['people'],
  { id }: Person,
  run: () => Promise<Refusal | Person>,
): Promise<Refusal | Person> => {
  const refused = (result: Refusal | Person): boolean => typeof result === 'string';
  const limit = { of: `addresses ${id}`, max: ADDRESSES_PER_DAY_MAX, tooMany: TOO_MANY };
  const daily = () => countDaily(people, limit, run, (result) => !refused(result));
  return countFailure(people, sessionBudgets(id), daily, refused);
};

async function isPassword(
  client: pg.ClientBase,
  auth: DashboardAuth,
  userId: string,
  password = '',
): Promise<boolean> {
  const hash = await passwordHashOf(client, userId);
  if (hash === undefined) {
    throw new ApiError('conflict', 'The account has no password. Its email address cannot be changed here.');
  }
  return (await auth.$context).password.verify({ hash, password });
}

const updateUser = statement('change_user', 'request')`
  update users set name = $2, email = $3, updated_at = now() where id = $1`;

async function write(
  client: pg.ClientBase,
  by: ReturnType<typeof acting>,
  before: Person,
  after: Person,
): Promise<void> {
  const changes = (['name', 'email'] as const)
    .filter((field) => before[field] !== after[field])
    .map((field) => ({ field, before: before[field], after: after[field] }));
  if (changes.length === 0) return;
  await client.query(updateUser(after.id, after.name, after.email));
  // A member who is removed cannot join again as a newcomer with the earlier address.
  if (before.email !== after.email)
    await client.query(saveAccount(after.id, formerOf('email'), before.email, null));
  await recordPersonal(client, by, { id: after.id }, { kind: 'account.changed', changes });
}
