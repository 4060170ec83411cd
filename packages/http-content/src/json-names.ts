const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c];

/**
 * Whether an object of a JSON text has the same name twice. Parsers keep the last value, so the parsed value has fewer names
 * than the text. `value` is the parsed text.
 */
export const repeatsName = (text: string, value: unknown): boolean => namesIn(text) > namesOf(value);

/** The number of names in a JSON text: each is followed by a colon that is in no string. */
function namesIn(text: string): number {
  let names = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inString = !inString;
    else if (code === BACKSLASH) at++;
    else if (code === COLON && !inString) names++;
  }
  return names;
}

/** The number of names in a value and all values in it. */
function namesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Object.values(value);
  let names = Array.isArray(value) ? 0 : inside.length;
  for (const one of inside) names += namesOf(one);
  return names;
}
