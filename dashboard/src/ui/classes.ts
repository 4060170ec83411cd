/** Joins class names. Leaves out false and undefined. */
export const classes = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => part !== false && part !== undefined && part !== '').join(' ');
