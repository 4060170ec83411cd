/**
 * JSON of better-auth without the tokens of sessions, at any depth: a session is its cookie, which no script can
 * read, so no body may hold what the cookie does. A session is named by its `id` instead.
 */
export const withoutTokens = (content: string): string =>
  JSON.stringify(JSON.parse(content, (key, value: unknown) => (key === TOKEN ? undefined : value)));

const TOKEN = 'token';
