import { readStored, store } from '../stored.ts';

const STORED_AS = 'svc.signed-in';

/**
 * Whether this browser was signed in at its last visit. Scripts cannot read the cookie. The hint saves a request, and
 * the error that the browser would log for a missing session. It grants no access.
 */
export const wasSignedIn = (): boolean => readStored(STORED_AS) !== null;

/** If the storage is switched off, the service is asked instead. */
export const noteSignedIn = (signedIn: boolean): void => store(STORED_AS, signedIn ? 'yes' : null);
