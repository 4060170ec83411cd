import type { ApiKey } from '@svc/sdk';
import { When } from '../../format/when.tsx';

/** The best answer there is to "does anything still use it?". */
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
