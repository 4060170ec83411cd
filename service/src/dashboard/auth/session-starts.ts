import { randomUUID } from 'node:crypto';
import { createAuthEndpoint } from 'better-auth/api';
import { deleteSessionCookie, setSessionCookie } from 'better-auth/cookies';

/** How long better-auth waits for the second step. */
const SECOND_STEP_SECONDS = 10 * 60;

/** Starts a session, or the second step, for a person who was confirmed without a password. They have no path. */
export const sessionStarts = () => ({
  id: 'sessions' as const,
  endpoints: {
    startSession: createAuthEndpoint.serverOnly(
      {
        method: 'POST',
        requireHeaders: true,
        metadata: { $Infer: { body: {} as { userId: string; method: string } } },
      },
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
    // As better-auth's hook does after a right password.
    startSecondStep: createAuthEndpoint.serverOnly(
      { method: 'POST', requireHeaders: true, metadata: { $Infer: { body: {} as { userId: string } } } },
      async (ctx) => {
        const { internalAdapter, createAuthCookie, secret } = ctx.context;
        const { userId: value } = ctx.body as { userId: string };
        // The session of the browser may be that of somebody else, whose second factor the code would be compared with.
        deleteSessionCookie(ctx, true);
        const identifier = `2fa-${randomUUID()}`;
        const expiresAt = new Date(Date.now() + SECOND_STEP_SECONDS * 1000);
        await internalAdapter.createVerificationValue({ value, identifier, expiresAt });
        const attempts = { value: '0', identifier: `2fa-attempts-${identifier}`, expiresAt };
        await internalAdapter.createVerificationValue(attempts);
        const cookie = createAuthCookie('two_factor', { maxAge: SECOND_STEP_SECONDS });
        await ctx.setSignedCookie(cookie.name, identifier, secret, cookie.attributes);
        return ctx.json({});
      },
    ),
  },
});
