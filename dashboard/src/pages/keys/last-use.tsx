import type { ApiKey } from '@svc/sdk';
import { When } from '../../format/when.tsx';

/** When the key was last used. Helps to decide whether a program still needs the key. */
export const LastUse = ({ apiKey: { lastUsedAt } }: { readonly apiKey: ApiKey }) => (
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
