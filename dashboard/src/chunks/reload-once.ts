const STORED_AS = 'svc.reloaded-for';

/**
 * Reloads the window to get the release that the service has now; the address stays. Returns false, and does nothing,
 * when it was done for this page and did not help, or cannot be remembered: there must be no loop.
 */
export function reloadOnce(page: string): boolean {
  try {
    if (sessionStorage.getItem(STORED_AS) === page) return false;
    sessionStorage.setItem(STORED_AS, page);
  } catch {
    return false;
  }
  location.reload();
  return true;
}

/** The page was loaded: a later failure is another one. */
export function forgetReload(page: string): void {
  try {
    if (sessionStorage.getItem(STORED_AS) === page) sessionStorage.removeItem(STORED_AS);
  } catch {
    // Without storage nothing was remembered.
  }
}
