/** What this browser keeps after the page is closed. If its storage is switched off, it keeps nothing. */

/** Null: nothing is stored under this name. */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Stores a value under this name. Null: removes it. */
export function store(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // Storage is switched off.
  }
}
