/** What differs between the runtimes: Node.js, Deno, Bun and browsers. Typed here, so that no runtime's types are needed. */

const { process } = globalThis as {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
};

/** Browsers send a User-Agent of their own. */
export const isBrowser = process === undefined;

/** A variable of the environment, where there is one and reading it is allowed (Deno asks for a permission). */
export function environment(name: string): string | undefined {
  try {
    const value = process?.env?.[name];
    return value === '' ? undefined : value;
  } catch {
    return undefined;
  }
}
