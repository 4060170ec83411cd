import { ProviderFailure } from './failure.ts';

/** What the metadata of the provider say about its answers. */
interface AnswerMetadata {
  readonly issuer: string;
  readonly authorization_response_iss_parameter_supported?: boolean;
}

/**
 * Refuses an answer that the provider cannot have sent for this sign-in, before anything is asked of the provider. The
 * browser brings the answer, so a stranger can make one up: it says nothing about the provider.
 */
export function checkAnswer(
  answer: Readonly<Record<string, string>>,
  expectedState: string,
  { issuer, authorization_response_iss_parameter_supported: hasIssuer = false }: AnswerMetadata,
): void {
  const { state, iss = '', code = '', error = '' } = answer;
  if (state !== expectedState) throw new ProviderFailure('untrusted', 'wrong_state');
  if (iss === '' ? hasIssuer : iss !== issuer) throw new ProviderFailure('untrusted', 'wrong_issuer');
  if (code === '' && error === '') throw new ProviderFailure('untrusted', 'no_code');
}
