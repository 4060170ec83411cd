import { compress } from './compress.ts';
import type { Sent } from './compressed.ts';
import { weakEtag } from './etag.ts';

/** A text that is made when it is first asked for, and kept as it is sent; a failure is not kept. */
export function sentOnce(
  kind: Pick<Sent, 'type' | 'cacheControl'>,
  make: () => string | Promise<string>,
): () => Promise<Sent> {
  const toSent = async (): Promise<Sent> => {
    const text = await make();
    return { ...kind, etag: weakEtag(text), body: await compress(text) };
  };
  let made: Promise<Sent> | undefined;
  return () => {
    made ??= toSent().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
