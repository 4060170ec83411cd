/** The digits of a code. Authenticators show it in two groups, so people type a space or a hyphen. */
export const digitsOf = (code: string): string => code.replace(/\D/g, '');
