const ORIGINS_MAX = 100;

/** Reads SVC_CORS_ORIGINS: exact origins, separated by commas. Adds a sentence to `mistakes` if one is wrong. */
export function readCorsOrigins(value: string | undefined, mistakes: string[]): readonly string[] {
  if (value === undefined) return [];
  const origins = [...new Set(value.split(',').map((origin) => origin.trim()))];
  if (origins.length > ORIGINS_MAX)
    mistakes.push(`SVC_CORS_ORIGINS must have at most ${ORIGINS_MAX} origins, not ${origins.length}.`);
  const wrong = origins.find((origin) => originOf(origin) !== origin);
  if (wrong !== undefined) {
    const meant = originOf(wrong);
    mistakes.push(
      'SVC_CORS_ORIGINS must be exact origins as browsers send them, separated by commas, such as ' +
        `"https://app.example.com, http://localhost:3000", not "${wrong}"` +
        `${meant === undefined ? '' : `: set ${meant}`}.`,
    );
  }
  return origins;
}

function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  const isExact = url !== null && ['http:', 'https:'].includes(url.protocol) && !url.host.includes('*');
  return isExact ? url.origin : undefined;
}
