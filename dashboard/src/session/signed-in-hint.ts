const STORED_AS = 'svc.signed-in';

/**
 * Whether this browser was signed in at its last visit. Scripts cannot read the cookie. The hint saves a request, and
 * the error that the browser would log for a missing session. It grants no access.
 */
export function wasSignedIn(): boolean {
  try {
    return localStorage.getItem(STORED_AS) !== null;
  } catch {
    return false;
  }
}

export function noteSignedIn(signedIn: boolean): void {
  try {
    if (signedIn) localStorage.setItem(STORED_AS, 'yes');
    else localStorage.removeItem(STORED_AS);
  } catch {
    // Storage is switched off. The service is asked instead.
  }
}
