/** The shape of a token's text (specification, 5.4), for those who must refuse or keep out anything that looks like one. */

const TOKEN = 'svc_(?:live|test)_[A-Za-z0-9_-]{32}';
const WHOLE = new RegExp(`^${TOKEN}$`);
const ANYWHERE = new RegExp(TOKEN);

export const isToken = (text: string): boolean => WHOLE.test(text);

/** A text may have been percent-encoded by several programs on its way; more rounds would only cost time. */
const DECODING_ROUNDS_MAX = 3;

/** Whether a token stands anywhere in the text, also percent-encoded, also more than once. */
export function containsToken(text: string): boolean {
  let decoded = text;
  for (let round = 0; round < DECODING_ROUNDS_MAX && decoded.includes('%'); round++) {
    if (ANYWHERE.test(decoded)) return true;
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return ANYWHERE.test(decoded);
}
