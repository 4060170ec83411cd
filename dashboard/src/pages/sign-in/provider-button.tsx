import type { ProviderAddress } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/client.ts';
import { providerQuery } from '../../api/provider.ts';
import { Button } from '../../ui/button.tsx';
import { ProviderProblem } from './provider-problem.tsx';

export interface ProviderButtonProps {
  /** The page to open after the sign-in. Default: the start page. */
  readonly next: string | undefined;
  /** Whether the person has no account yet. Then only a provider that admits newcomers has a button. Default: false. */
  readonly newcomer?: boolean;
}

/** Signs in with the OpenID Connect provider, if there is one. */
export function ProviderButton({ next, newcomer = false }: ProviderButtonProps) {
  const provider = useQuery({ ...providerQuery, retry: false }).data?.provider ?? null;
  const start = useAction({
    meta: { signsIn: true },
    mutationFn: () =>
      call<ProviderAddress>('/auth/openid/start', {
        method: 'POST',
        body: next === undefined ? {} : { next },
      }),
    onSuccess: ({ url }) => location.assign(url),
  });
  if (provider === null || (newcomer && !provider.admitsNewcomers)) return null;
  return (
    <div className="mt-4 flex flex-col gap-4 border-t border-line pt-4">
      {start.error === null ? null : <ProviderProblem error={start.error} />}
      <Button onClick={() => void start.run()} busy={start.isPending}>
        {/* A host name may be wider than a phone. */}
        <span className="min-w-0 truncate">Continue with {provider.name}</span>
      </Button>
    </div>
  );
}
