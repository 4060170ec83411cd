/**
 * Removes the tokens of sessions, at any depth, from JSON of better-auth. Scripts cannot read the session cookie, so no
 * body may hold its token. Clients use the `id` of a session instead.
 */
export const withoutTokens = (content: string): string =>
  JSON.stringify(JSON.parse(content, (key, value: unknown) => (key === TOKEN ? undefined : value)));

const TOKEN = 'token';
