import { containsToken } from '@svc/sdk/contract';

/** Several programs may have percent-encoded a text, one after the other. */
const DECODING_ROUNDS_MAX = 3;

/** Whether the text contains a token. The text can be percent-encoded, also repeatedly. */
export function containsEncodedToken(text: string): boolean {
  let decoded = text;
  for (let round = 0; round < DECODING_ROUNDS_MAX && decoded.includes('%'); round++) {
    if (containsToken(decoded)) return true;
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return containsToken(decoded);
}
