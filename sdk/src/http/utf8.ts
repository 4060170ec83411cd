/** The text of the next bytes of a response. The decoder must be `fatal`. Throws the error for bytes that are not UTF-8. */
export function decodeUtf8(
  decoder: TextDecoder,
  bytes: Uint8Array,
  damaged: (what: string, cause: unknown) => Error,
): string {
  try {
    return decoder.decode(bytes, { stream: true });
  } catch (cause) {
    throw damaged('it is not UTF-8', cause);
  }
}
