const STORED_AS = 'svc.reloaded-for';

/**
 * Reloads the window to get the current release. To avoid a loop, returns false without a reload if it has already
 * reloaded for this page, or if the browser has no session storage.
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

/** Call when the page has loaded, so that a later failure may reload again. */
export function forgetReload(page: string): void {
  try {
    if (sessionStorage.getItem(STORED_AS) === page) sessionStorage.removeItem(STORED_AS);
  } catch {
    // Without storage there is nothing to remove.
  }
}
