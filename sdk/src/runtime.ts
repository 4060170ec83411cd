/**
 * Differences between Node.js, Deno, Bun and browsers. The types are declared here, so the package needs no runtime's
 * types.
 */

const { process } = globalThis as {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
};

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
