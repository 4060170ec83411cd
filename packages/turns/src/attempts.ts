/** Parts of some work, each of which is tried, although others have failed. */
export interface Attempts {
  /** Resolves with the result, or with undefined if the part failed. `name`: of the part, for the error. */
  of<Result>(name: string, part: () => Promise<Result>): Promise<Result | undefined>;
  /** Throws if parts have failed: an error with their number, the name of the first one, and its error as the cause. */
  end(): void;
}

/** `isFatal`: whether all other parts would fail too. Then `of` throws the error at once. Default: never. */
export function createAttempts(isFatal: (error: unknown) => boolean = () => false): Attempts {
  let failures = 0;
  let first: { readonly name: string; readonly error: unknown } | undefined;
  return {
    async of(name, part) {
      try {
        return await part();
      } catch (error) {
        if (isFatal(error)) throw error;
        failures += 1;
        first ??= { name, error };
        return undefined;
      }
    },
    end() {
      if (first === undefined) return;
      const { name, error } = first;
      const others = failures === 1 ? '' : ` (the first of ${failures} failures)`;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${name}${others}: ${reason}`, { cause: error });
    },
  };
}

/**
 * Tries work that is repeated, and tells the first of several failures in a row. `name`: of the work. Resolves with whether
 * it succeeded.
 */
export function createRepeats(
  tell: (name: string, error: unknown) => unknown,
): (name: string, work: () => Promise<unknown>) => Promise<boolean> {
  const failing = new Set<string>();
  return async (name, work) => {
    try {
      await work();
      failing.delete(name);
      return true;
    } catch (error) {
      if (!failing.has(name)) tell(name, error);
      failing.add(name);
      return false;
    }
  };
}
