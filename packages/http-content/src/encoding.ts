/** Content codings, the one with the smaller result first. */
const COMPRESSED = ['br', 'gzip'] as const;
export type Encoding = (typeof COMPRESSED)[number] | 'identity';

/** The weights of an Accept-Encoding header, by coding (RFC 9110, 12.5.3). */
function weightsOf(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';');
    const given = parameters.map((each) => /^\s*q=(\d(?:\.\d{0,3})?)\s*$/.exec(each)?.[1]).find(Boolean);
    weights.set(name.trim(), Number(given ?? 1));
  }
  return weights;
}

/**
 * The available coding with the greatest weight in Accept-Encoding; of equal ones, the first in {@link COMPRESSED}.
 * `identity` if the header allows no other, also if it refuses `identity`.
 */
export function encodingOf(
  header: string | undefined,
  available: readonly Encoding[] = COMPRESSED,
): Encoding {
  if (header === undefined || header === '') return 'identity';
  const weights = weightsOf(header);
  let [best, most]: [Encoding, number] = ['identity', 0];
  for (const coding of COMPRESSED) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0;
    if (weight > most && available.includes(coding)) [best, most] = [coding, weight];
  }
  // Only a header that names `identity` with a greater weight prefers it.
  return (weights.get('identity') ?? 0) > most ? 'identity' : best;
}

/** Whether an Accept-Encoding header refuses a response that is not compressed. */
export function refusesIdentity(header: string | undefined): boolean {
  if (header === undefined) return false;
  const weights = weightsOf(header);
  return (weights.get('identity') ?? weights.get('*')) === 0;
}
