import { type FailureReason, ProviderFailure } from '@svc/openid-sign-in';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../http/errors.ts';
import { OPENID_RETRY_SECONDS } from '../limits.ts';

const RETRY = { 'retry-after': String(OPENID_RETRY_SECONDS) } as const;

/** What people read, by the reason. `{name}` is the name of the provider. */
const MESSAGES: Readonly<
  Record<FailureReason, readonly [code: 'unavailable' | 'not_signed_in', message: string]>
> = {
  busy: ['unavailable', 'Too many people are signing in with {name}. Try again in a moment.'],
  cancelled: ['not_signed_in', 'The sign-in with {name} was cancelled.'],
  misconfigured: ['unavailable', '{name} does not accept this service. Tell the operator the Request-Id.'],
  refused: ['not_signed_in', '{name} did not confirm this sign-in. Start again.'],
  unavailable: ['unavailable', '{name} does not respond. Try again in a moment, or use your password.'],
  untrusted: [
    'not_signed_in',
    'The response of {name} is not valid, so it was not used. Start again. If this happens twice, tell the operator ' +
      'the Request-Id.',
  ],
};

/** Asks the provider. Logs its failure without the response, and throws it as an error for people. */
export async function askProvider<T>(
  request: FastifyRequest,
  { name, issuer }: { readonly name: string; readonly issuer: string },
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    request.log.warn(
      { issuer, failure: error.message },
      'the OpenID Connect provider did not confirm a sign-in',
    );
    const [code, message] = MESSAGES[error.reason];
    throw new ApiError(
      code,
      message.replace('{name}', () => name),
      code === 'unavailable' ? RETRY : {},
    );
  }
}
