const STORED_AS = 'svc.signed-in';

/**
 * Whether this browser was signed in when it was here last. The cookie is out of reach for scripts; the hint saves a
 * question whose answer is known, and the error that the browser would log for it. It opens nothing.
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
    // Storage is switched off: the question is asked.
  }
}
