/** The shape of a token's text (specification, 5.4), for those who must refuse or keep out anything that looks like one. */

const TOKEN = 'svc_(?:live|test)_[A-Za-z0-9_-]{32}';
const WHOLE = new RegExp(`^${TOKEN}$`);
const ANYWHERE = new RegExp(TOKEN);

export const isToken = (text: string): boolean => WHOLE.test(text);

/** Whether a token stands anywhere in the text, also percent-encoded. */
export function containsToken(text: string): boolean {
  if (ANYWHERE.test(text)) return true;
  if (!text.includes('%')) return false;
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return ANYWHERE.test(decoded);
}
