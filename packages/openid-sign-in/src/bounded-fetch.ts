/** The longest response of a provider. A discovery document has about 5 kB. */
export const RESPONSE_MAX_BYTES = 256 * 1024;

/** Like `fetch`, but reads the body at once, within the time of the signal, and throws if it is too long. */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const { body, status, headers } = await fetch(url, options);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > RESPONSE_MAX_BYTES) throw new TypeError(`The response exceeds ${RESPONSE_MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return new Response(bytes === 0 ? null : new Blob(chunks), { status, headers });
}
