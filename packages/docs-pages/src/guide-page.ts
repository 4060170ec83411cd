import type { Assets } from './assets.ts';
import type { Guide } from './guides.ts';
import { renderMarkdown } from './markdown.ts';
import { escapeHtml, type PageParts, page } from './page.ts';

type Shared = Pick<PageParts, 'icon' | 'theme' | 'base'> & {
  /** The public URL of the service, for the examples. */
  readonly publicUrl: string;
};

/** The URL in the examples of the Markdown files: that of a service with default settings. */
const EXAMPLE_ADDRESS = 'http://127.0.0.1:8080';

/** A guide as a page, with links to all other guides. */
export async function guidePage(
  guide: Guide,
  guides: readonly Guide[],
  assets: Assets,
  shared: Shared,
): Promise<string> {
  const { base, publicUrl } = shared;
  const fileOf = (name: string): string => `${base}/docs/assets/${name}`;
  const styles = await Promise.all((['docs.css', 'guide.css', 'code.css'] as const).map(assets.get));
  const [script, drawing] = await Promise.all([assets.get('docs.js'), assets.get('gap-cursors.svg')]);
  const link = (href: string): string => {
    if (/^(?:[a-z]+:|#|\/)/.test(href)) return href.startsWith('/') ? base + href : href;
    const { href: target, hash } = new URL(href, guide.url);
    const found = guides.find(({ url }) => url.href === target.slice(0, target.length - hash.length));
    if (found === undefined) throw new Error(`${guide.name} links to ${href}, which is no guide.`);
    return `${base}/docs/${found.name}${hash}`;
  };
  const content = renderMarkdown(guide.text.replaceAll(EXAMPLE_ADDRESS, publicUrl), {
    link,
    image: (href) => {
      if (href !== 'gap-cursors.svg') throw new Error(`There is no drawing ${href}.`);
      return fileOf(drawing.name);
    },
  });
  return page({
    ...shared,
    title: `${guide.title} · svc docs`,
    description: descriptionOf(guide),
    styles: styles.map(({ name }) => fileOf(name)),
    scripts: [fileOf(script.name)],
    section: 'guides',
    body: `<div class="frame">
<details class="menu" open><summary>Guides</summary>
<nav aria-label="Guides">${guides.map((one) => entry(one, one === guide, base)).join('')}</nav>
</details>
<main id="content" tabindex="-1">
${content}
${neighbours(guide, guides, base)}
</main>
</div>`,
  });
}

const entry = ({ name, title }: Guide, current: boolean, base: string): string =>
  `<a href="${base}/docs/${name}"${current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`;

/** The first paragraph as plain text. */
const descriptionOf = ({ text }: Guide): string =>
  (text.split(/\n{2,}/)[1] ?? '').replace(/\[([^\]]+)\]\([^)]*\)|[`*]/g, '$1').replace(/\s+/g, ' ');

function neighbours(guide: Guide, guides: readonly Guide[], base: string): string {
  const index = guides.indexOf(guide);
  const [before, after] = [guides[index - 1], guides[index + 1]];
  const link = (to: Guide | undefined, rel: string, label: string): string =>
    to === undefined
      ? ''
      : `<a rel="${rel}" href="${base}/docs/${to.name}"><small>${label}</small>${escapeHtml(to.title)}</a>`;
  return `<nav class="neighbours" aria-label="Next and previous guide">${link(before, 'prev', 'Before')}${link(after, 'next', 'Next')}</nav>`;
}
