import { compress } from './compress.ts';
import type { Sent } from './compressed.ts';
import { weakEtag } from './etag.ts';

/** Returns a function that creates a response on its first call and returns the same one later. A failure is not kept. */
export function cachedResponse(
  kind: Pick<Sent, 'type' | 'cacheControl'>,
  make: () => string | Promise<string>,
): () => Promise<Sent> {
  const create = async (): Promise<Sent> => {
    const text = await make();
    return { ...kind, etag: weakEtag(text), body: await compress(text) };
  };
  let cached: Promise<Sent> | undefined;
  return () => {
    cached ??= create().catch((error: unknown) => {
      cached = undefined;
      throw error;
    });
    return cached;
  };
}
