import { ApiFailure, messageOf } from '../../api/failure.ts';
import { Problem } from '../../ui/problem.tsx';

/** Why a sign-in with the provider failed, with the id by which the operator finds it in the log. */
export const ProviderProblem = ({ error }: { readonly error: Error }) => (
  <Problem>
    {messageOf(error)}
    {error instanceof ApiFailure && error.requestId !== null ? (
      <span className="mt-1 block text-sm">Request-Id: {error.requestId}</span>
    ) : null}
  </Problem>
);
