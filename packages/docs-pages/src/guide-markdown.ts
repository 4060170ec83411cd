import { EXAMPLE_ADDRESS, type Guide } from './guides.ts';

/** `](target)` of a link or an image. */
const LINK = /(!?\[[^\]]*\])\(([^)\s]+)\)/g;

/** The text of a guide with the address of the service in its examples. */
export const guideText = ({ text }: Guide, publicUrl: string): string =>
  text.replaceAll(EXAMPLE_ADDRESS, publicUrl);

/** The guide that a link of another guide leads to, and its anchor, `#anchor` or empty. Undefined: it leads elsewhere. */
export function linkedGuide(
  from: Guide,
  href: string,
  guides: readonly Guide[],
): { readonly guide: Guide; readonly hash: string } | undefined {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return undefined;
  const { href: target, hash } = new URL(href, from.url);
  const guide = guides.find(({ url }) => url.href === target.slice(0, target.length - hash.length));
  if (guide === undefined) throw new Error(`${from.name} links to ${href}, which is no guide.`);
  return { guide, hash };
}

/**
 * A guide as Markdown for programs: its links are complete URLs and lead to Markdown, and it has no drawings. `publicUrl`
 * has no slash at its end.
 */
export const guideMarkdown = (guide: Guide, guides: readonly Guide[], publicUrl: string): string =>
  guideText(guide, publicUrl).replace(LINK, (whole, label: string, href: string) => {
    if (label.startsWith('!')) return '';
    const linked = linkedGuide(guide, href, guides);
    if (linked !== undefined) return `${label}(${publicUrl}/docs/${linked.guide.name}.md${linked.hash})`;
    return href.startsWith('/') ? `${label}(${publicUrl}${href})` : whole;
  });
