/**
 * The parameters with which the OpenID Connect provider sends the browser back to /sign-in. They hold a code, so this module
 * removes them from the URL and the history at once, and then keeps them only in memory.
 */

const NAMES = ['state', 'code', 'iss', 'error'] as const;
export type ProviderAnswer = Readonly<Partial<Record<(typeof NAMES)[number], string>>>;

let answer: ProviderAnswer | null = null;

/** Call before anything else reads the URL. */
export function takeProviderAnswer(): void {
  const search = new URLSearchParams(location.search);
  if (!location.pathname.endsWith('/sign-in') || !search.has('state')) return;
  answer = Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = search.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  history.replaceState(history.state, '', location.pathname);
}

export const providerAnswer = (): ProviderAnswer | null => answer;

export function forgetProviderAnswer(): void {
  answer = null;
}
