import type { ApiKey } from '@svc/sdk';
import { useQuery } from '@tanstack/react-query';
import { keyQuery } from '../../api/keys.ts';
import { When } from '../../format/when.tsx';

export interface LastUseProps {
  readonly workspaceId: string;
  /** As it was when the dialog was opened. */
  readonly apiKey: ApiKey;
}

/** When the key was last used, read again. Helps to decide whether a program still needs the key. */
export function LastUse({ workspaceId, apiKey }: LastUseProps) {
  const { data } = useQuery(keyQuery(workspaceId, apiKey.id));
  const { lastUsedAt } = data?.key ?? apiKey;
  return (
    <p className="rounded-md border border-line bg-sunken px-3 py-2 text-ink">
      {lastUsedAt === null ? (
        'Never used.'
      ) : (
        <>
          Last used <When at={lastUsedAt} />.
        </>
      )}
    </p>
  );
}
