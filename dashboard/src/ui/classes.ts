/** Class names joined; what is false or undefined is left out. */
export const classes = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => part !== false && part !== undefined && part !== '').join(' ');
