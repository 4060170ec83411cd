import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keyQuery } from '../../api/keys.ts';

/**
 * A key as it is now, for a form that starts with its settings: the page of the key may have read it long ago. Undefined
 * until it is read again. If that failed, `error` says why.
 */
export function useFreshKey(workspaceId: string, keyId: string) {
  const { data, error, isSuccess, isFetchedAfterMount } = useQuery(keyQuery(workspaceId, keyId));
  const [fresh, setFresh] = useState(false);
  // Once shown, a form stays: a later read can fail.
  if (!fresh && isSuccess && isFetchedAfterMount) setFresh(true);
  return { details: fresh ? data : undefined, error: isFetchedAfterMount ? error : null };
}
