import { type BetterAuthOptions, betterAuth } from 'better-auth';
import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { type OrganizationOptions, organization } from 'better-auth/plugins/organization';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { appendEvent } from '../../audit-log/append-event.ts';
import type { EventTarget, NewEvent } from '../../audit-log/entry.ts';
import type { Connections } from '../../database/lane.ts';
import {
  AUTH_REQUESTS_MAX,
  AUTH_WINDOW_SECONDS,
  INVITATION_HOURS,
  MEMBERS_MAX,
  PASSWORD_MAX_CHARACTERS,
  PASSWORD_MIN_CHARACTERS,
  SESSION_LIFETIME_SECONDS,
  SESSION_REFRESH_SECONDS,
  SIGN_IN_ATTEMPTS_MAX,
  SIGN_IN_WINDOW_SECONDS,
} from '../limits.ts';
import { type AuthDatabase, createAuthDatabase } from './database.ts';
import { METHODS, recordPersonal } from './events.ts';
import { authLogger } from './logger.ts';
import { ROLES } from './roles.ts';
import { ORGANIZATION_MODELS, RATE_LIMIT_MODEL, SECOND_FACTOR_MODELS, SIGN_IN_MODELS } from './schema.ts';
import { sealingKeys } from './second-factor/sealing-keys.ts';

export const AUTH_PATH = '/dashboard/api/auth';
/** Where a request's address stands on its way to better-auth; set by us alone, from what Fastify trusts. */
export const ADDRESS_HEADER = 'x-svc-address';

const ATTEMPTS = { max: SIGN_IN_ATTEMPTS_MAX, window: SIGN_IN_WINDOW_SECONDS } as const;

type SessionHook = NonNullable<
  NonNullable<NonNullable<NonNullable<BetterAuthOptions['databaseHooks']>['session']>['create']>['before']
>;
type SessionContext = Parameters<SessionHook>[1];

export interface AuthOptions {
  readonly pool: Connections;
  /** For transactions. Default: `pool`. */
  readonly accounts?: Connections;
  /** The first one signs and seals, all of them open. */
  readonly secrets: readonly string[];
  readonly publicUrl: string;
  readonly log: FastifyBaseLogger;
}

/** Sign-in, sessions and members: better-auth on our tables, with our roles and our audit log. */
export type DashboardAuth = ReturnType<typeof createDashboardAuth>;

export function createDashboardAuth(options: AuthOptions) {
  const database = createAuthDatabase(options.pool, options.accounts);
  const auth = betterAuth(authOptions(options, database));
  const keys = sealingKeys(options.secrets);
  return {
    ...auth,
    database,
    /** What second factors are sealed with. */
    sealingKeys: keys,
    /** What cookies are signed with. */
    signingKeys: keys.map(({ value }) => value),
  };
}

/** Apart from its caller so that a test can ask better-auth what these options want of the database. */
export function authOptions({ secrets, publicUrl, log }: AuthOptions, database: AuthDatabase) {
  const keys = sealingKeys(secrets);
  const [first] = keys;
  if (first === undefined) throw new Error('Sign-in needs at least one secret.');
  const { origin, protocol, pathname, host } = new URL(publicUrl);
  return {
    appName: 'svc',
    baseURL: origin,
    basePath: AUTH_PATH,
    trustedOrigins: [origin],
    // Both, so that no variable of better-auth's in the environment has a say.
    secret: first.value,
    secrets: [...keys],
    telemetry: { enabled: false },
    logger: authLogger(log),
    onAPIError: { throw: true },
    database: { db: database.kysely, type: 'postgres', transaction: false },
    ...SIGN_IN_MODELS,
    session: {
      ...SIGN_IN_MODELS.session,
      expiresIn: SESSION_LIFETIME_SECONDS,
      updateAge: SESSION_REFRESH_SECONDS,
    },
    emailAndPassword: {
      enabled: true,
      // An account comes from the set-up, from the operator or from an invitation.
      disableSignUp: true,
      minPasswordLength: PASSWORD_MIN_CHARACTERS,
      maxPasswordLength: PASSWORD_MAX_CHARACTERS,
    },
    rateLimit: {
      ...RATE_LIMIT_MODEL,
      enabled: true,
      storage: 'database',
      max: AUTH_REQUESTS_MAX,
      window: AUTH_WINDOW_SECONDS,
      // Attempts to sign in have limits of ours (attempts.ts), which a known device does not share.
      customRules: {
        '/sign-in/email': false,
        '/two-factor/verify-totp': false,
        '/two-factor/verify-backup-code': false,
        '/two-factor/*': ATTEMPTS,
      },
    },
    advanced: {
      cookiePrefix: 'svc',
      useSecureCookies: protocol === 'https:',
      defaultCookieAttributes: {
        httpOnly: true,
        // Every request to the dashboard's endpoints comes from its own pages, so the cookie never has to travel
        // from another site; and it never goes to the API.
        sameSite: 'strict',
        path: `${pathname.replace(/\/$/, '')}/dashboard`,
      },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      // Said aloud: better-auth would switch them off under a test runner.
      disableOriginCheck: false,
      disableCSRFCheck: false,
    },
    databaseHooks: {
      user: {
        update: {
          // Before the change: no entry, no change.
          before: async (change, context) => {
            const current = context?.context.session;
            const userId = current?.user.id;
            const { twoFactorEnabled: on } = change as { readonly twoFactorEnabled?: unknown };
            if (userId === undefined || typeof on !== 'boolean') return;
            await database.join(async (client, by) => {
              // They were opened with the password only.
              const sessionsEnded = on ? await endOtherSessions(client, userId, current?.session.token) : 0;
              await recordPersonal(client, by, { id: userId }, (target) =>
                on
                  ? { kind: 'account.second_factor_enabled', target, details: { sessionsEnded } }
                  : { kind: 'account.second_factor_disabled', target },
              );
            });
          },
        },
      },
      session: {
        create: {
          // Ahead of the session: no entry, no session.
          before: async ({ userId }, context) => {
            const start = await startOf(userId, context);
            if (start === 'replaces') return;
            await database.join((client, by) =>
              recordPersonal(client, by, { id: userId }, (target) =>
                start === 'half'
                  ? { kind: 'session.password_accepted', target }
                  : { kind: 'session.signed_in', target, details: { method: methodOf(context?.path) } },
              ),
            );
          },
        },
      },
    },
    plugins: [
      organization(organizationOptions(database)),
      twoFactor({
        issuer: `svc (${host})`,
        schema: SECOND_FACTOR_MODELS,
        backupCodeOptions: { storeBackupCodes: 'encrypted' },
        // It would lock the person out with the stranger who knows the password; attempts.ts tells them apart.
        accountLockout: { enabled: false },
      }),
      sessions(),
    ],
  } satisfies BetterAuthOptions;
}

/**
 * What the session that starts means. `replaces`: it takes the place of a session of the same person (a new password, a
 * second factor). `half`: the password was right and the second factor is still to come; better-auth ends it at once.
 */
async function startOf(userId: string, context: SessionContext): Promise<'sign-in' | 'half' | 'replaces'> {
  if (context?.context.session != null) return 'replaces';
  if (context?.path !== '/sign-in/email') return 'sign-in';
  const user = await context.context.internalAdapter.findUserById(userId);
  const protectedUser = user !== null && 'twoFactorEnabled' in user && user.twoFactorEnabled === true;
  return protectedUser ? 'half' : 'sign-in';
}

/** Ends the person's sessions but the one with this token; resolves to how many ended. */
async function endOtherSessions(
  client: pg.ClientBase,
  userId: string,
  token: string | undefined,
): Promise<number> {
  const { rowCount } = await client.query(
    'delete from sessions where user_id = $1 and token is distinct from $2',
    [userId, token ?? null],
  );
  return rowCount ?? 0;
}

/** The proof that a session starts with, by the path of better-auth that starts it. */
const methodOf = (path: string | undefined): string => METHODS[path ?? ''] ?? 'link';

const memberTarget = ({ id, email }: { readonly id: string; readonly email: string }): EventTarget => ({
  id,
  label: email,
});

function organizationOptions(database: AuthDatabase) {
  const record = (workspaceId: string, event: NewEvent): Promise<void> =>
    database.join((client, by) => {
      if (by.actor === null) throw new Error('Members change only in a transaction that names who acts.');
      return appendEvent(client, workspaceId, by, event);
    });
  return {
    roles: ROLES,
    schema: ORGANIZATION_MODELS,
    // A workspace is made by src/workspaces.ts, together with its organization.
    allowUserToCreateOrganization: false,
    disableOrganizationDeletion: true,
    membershipLimit: MEMBERS_MAX,
    invitationExpiresIn: INVITATION_HOURS * 60 * 60,
    // Inviting somebody again gives a new link and ends the old one.
    cancelPendingInvitationsOnReInvite: true,
    // Who holds the link received it; there is no mail server that could prove more.
    requireEmailVerificationOnInvitation: false,
    organizationHooks: {
      afterCreateInvitation: ({ invitation, organization }) =>
        record(organization.id, {
          kind: 'member.invited',
          target: { id: invitation.id, label: invitation.email },
          details: { role: invitation.role },
        }),
      afterRemoveMember: ({ member, user, organization }) =>
        record(organization.id, {
          kind: 'member.removed',
          target: memberTarget(user),
          details: { role: member.role },
        }),
      afterUpdateMemberRole: ({ member, previousRole, user, organization }) =>
        record(organization.id, {
          kind: 'member.role_changed',
          target: memberTarget(user),
          changes: [{ field: 'role', before: previousRole, after: member.role }],
        }),
    },
  } satisfies OrganizationOptions;
}

/** Starts a session for a person whom a link, not a password, has let in. No path leads to it. */
const sessions = () => ({
  id: 'sessions' as const,
  endpoints: {
    startSession: createAuthEndpoint.serverOnly(
      { method: 'POST', requireHeaders: true, metadata: { $Infer: { body: {} as { userId: string } } } },
      async (ctx) => {
        const { internalAdapter } = ctx.context;
        const { userId } = ctx.body as { userId: string };
        const user = await internalAdapter.findUserById(userId);
        if (user === null) return ctx.json(null);
        const session = await internalAdapter.createSession(userId);
        await setSessionCookie(ctx, { session, user });
        return ctx.json({ userId });
      },
    ),
  },
});
