import { randomInt } from 'node:crypto';
import type { Connections } from '@svc/turns/lane';
import { type BetterAuthOptions, betterAuth } from 'better-auth';
import { organization } from 'better-auth/plugins/organization';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { FastifyBaseLogger } from 'fastify';
import { statement } from '../../database/statement.ts';
import {
  AUTH_REQUESTS_MAX,
  AUTH_WINDOW_SECONDS,
  MEMBERS_MAX,
  PASSWORD_MAX_CHARACTERS,
  PASSWORD_MIN_CHARACTERS,
  SESSION_LIFETIME_SECONDS,
  SESSION_REFRESH_SECONDS,
} from '../limits.ts';
import { endSessions } from '../requests/ended-sessions.ts';
import { type AuthDatabase, createAuthDatabase } from './database.ts';
import { METHODS, recordPersonal } from './events.ts';
import { organizationOptions } from './organization.ts';
import { RATE_LIMIT_MODEL, SECOND_FACTOR_MODELS, SIGN_IN_MODELS } from './schema.ts';
import { sealingKeys } from './sealed-factors.ts';
import { sessionStarts } from './session-starts.ts';

export const AUTH_PATH = '/dashboard/api/auth';
/** The header with the address of a request for better-auth. Only session.ts sets it, to the address that Fastify trusts. */
export const ADDRESS_HEADER = 'x-svc-address';

type SessionHook = NonNullable<
  NonNullable<NonNullable<NonNullable<BetterAuthOptions['databaseHooks']>['session']>['create']>['before']
>;
type SessionContext = Parameters<SessionHook>[1];

export interface AuthOptions {
  readonly pool: Connections;
  /** For transactions. Default: `pool`. */
  readonly accounts?: Connections;
  /** The first one signs and encrypts. All of them verify and decrypt. */
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
    /** The keys that encrypt second factors. */
    sealingKeys: keys,
    /** The keys that sign cookies. */
    signingKeys: keys.map(({ value }) => value),
  };
}

/** Exported for a test, which compares the database with what better-auth needs for these options. */
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
    // Both, so that better-auth reads no secret from the environment.
    secret: first.value,
    secrets: [...keys],
    telemetry: { enabled: false },
    logger: authLogger(log),
    onAPIError: { throw: true },
    database: { db: database.kysely, type: 'postgres', transaction: false },
    ...SIGN_IN_MODELS,
    // Expired second steps are deleted by a job (expired.ts). better-auth would read those of everyone for it.
    verification: { ...SIGN_IN_MODELS.verification, disableCleanup: true },
    session: {
      ...SIGN_IN_MODELS.session,
      expiresIn: SESSION_LIFETIME_SECONDS,
      updateAge: SESSION_REFRESH_SECONDS,
    },
    emailAndPassword: {
      enabled: true,
      // The set-up, the operator or an invitation creates an account.
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
      // attempts.ts limits wrong passwords and codes. The row of an address would be locked until the end of the transaction
      // of one person, and others behind the same address would wait for it or fail.
      customRules: {
        '/sign-in/email': false,
        '/two-factor/*': false,
        '/change-password': false,
        '/sign-out': false,
        '/revoke-*': false,
      },
    },
    advanced: {
      // better-auth counts owners and pending invitations among this many rows of a workspace (default: 100).
      database: { defaultFindManyLimit: MEMBERS_MAX },
      cookiePrefix: 'svc',
      useSecureCookies: protocol === 'https:',
      defaultCookieAttributes: {
        httpOnly: true,
        // Only the dashboard's own pages send requests to its endpoints. The path keeps the cookie from the API.
        sameSite: 'strict',
        path: `${pathname.replace(/\/$/, '')}/dashboard`,
      },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      // Explicit, because better-auth switches them off in a test runner.
      disableOriginCheck: false,
      disableCSRFCheck: false,
    },
    databaseHooks: {
      user: {
        update: {
          // Before the change, so that there is no change without an entry.
          before: async (change, context) => {
            const current = context?.context.session;
            const userId = current?.user.id;
            const { twoFactorEnabled: on } = change as { readonly twoFactorEnabled?: unknown };
            if (userId === undefined || typeof on !== 'boolean') return;
            await database.join(async (client, by) => {
              // The other sessions started with only the password.
              const sessionsEnded = on
                ? await endSessions(client, userId, 'second_factor_changed', current?.session.token)
                : 0;
              await recordPersonal(
                client,
                by,
                { id: userId },
                on
                  ? { kind: 'account.second_factor_enabled', details: { sessionsEnded } }
                  : { kind: 'account.second_factor_disabled' },
              );
            });
          },
        },
      },
      session: {
        create: {
          // Before the session, so that there is no session without an entry.
          before: async ({ userId }, context) => {
            const start = await startOf(userId, context);
            if (start === 'replaces') return;
            await database.join(async (client, by) => {
              if (start === 'sign-in') await client.query(noteSignIn(userId));
              await recordPersonal(
                client,
                by,
                { id: userId },
                start === 'half'
                  ? { kind: 'session.password_accepted' }
                  : {
                      kind: 'session.signed_in',
                      details: { method: methodOf(context) },
                    },
              );
            });
          },
        },
      },
    },
    plugins: [
      organization(organizationOptions(database)),
      twoFactor({
        issuer: `svc (${host})`,
        schema: SECOND_FACTOR_MODELS,
        backupCodeOptions: { storeBackupCodes: 'encrypted', customBackupCodesGenerate: newBackupCodes },
        // It would lock out the person together with a stranger who knows the password. attempts.ts separates them.
        accountLockout: { enabled: false },
      }),
      sessionStarts(),
    ],
  } satisfies BetterAuthOptions;
}

/**
 * Why a session starts. `replaces`: it replaces a session of the same person (new password, second factor). `half`: the
 * password was right and the second step follows; better-auth ends this session at once.
 */
async function startOf(userId: string, context: SessionContext): Promise<'sign-in' | 'half' | 'replaces'> {
  if (context?.context.session != null) return 'replaces';
  if (context?.path !== '/sign-in/email') return 'sign-in';
  const user = await context.context.internalAdapter.findUserById(userId);
  const protectedUser = user !== null && 'twoFactorEnabled' in user && user.twoFactorEnabled === true;
  return protectedUser ? 'half' : 'sign-in';
}

const noteSignIn = statement('note_sign_in', 'request')`
  update users set last_signed_in_at = (select clock_timestamp()) where id = $1`;

const BACKUP_CODES = 10;
/** Without characters that look alike on paper. */
const CODE_CHARACTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const codePart = (): string =>
  Array.from({ length: 5 }, () => CODE_CHARACTERS[randomInt(CODE_CHARACTERS.length)]).join('');
const newBackupCodes = (): string[] =>
  Array.from({ length: BACKUP_CODES }, () => `${codePart()}-${codePart()}`);

/** The name in the audit log of the way in which a session starts. Our own functions are not in METHODS and name it. */
const methodOf = (context: SessionContext): string =>
  METHODS[context?.path ?? ''] ?? String(context?.body?.method ?? 'link');

/**
 * Writes better-auth's messages to the service's log. Of the values that come with a message, it writes only the kind
 * and stack of an error: the others may hold a session's token or a row of the database.
 */
const authLogger = (log: FastifyBaseLogger): NonNullable<BetterAuthOptions['logger']> => ({
  log: (level, message, ...details) => {
    const error = details.find((detail) => detail instanceof Error);
    const err = error && { type: error.name, message: error.message, stack: error.stack };
    log[level](err === undefined ? {} : { err }, `sign-in: ${message}`);
  },
});
