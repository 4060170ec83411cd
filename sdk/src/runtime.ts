/**
 * Differences between Node.js, Deno, Bun and browsers. The types are declared here, so the package needs no runtime's
 * types.
 */

interface Runtime {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  readonly console?: { error(...values: readonly unknown[]): void };
}

const { process } = globalThis as Runtime;

/** Whether this is a browser. Browsers send their own `User-Agent`. */
export const isBrowser = process === undefined;

/** An environment variable; undefined if it is empty, missing, or not readable (Deno requires a permission). */
export function environment(name: string): string | undefined {
  try {
    const value = process?.env?.[name];
    return value === '' ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Prints on standard error, or on the console of a browser. */
export const printError = (message: string, details: object): void =>
  (globalThis as Runtime).console?.error(`svc: ${message}`, details);
