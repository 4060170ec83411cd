import type { Assets } from './assets.ts';
import { guideText, linkedGuide } from './guide-markdown.ts';
import { descriptionOf, type Guide } from './guides.ts';
import { renderMarkdown } from './markdown.ts';
import { escapeHtml, type PageParts, page } from './page.ts';

type Shared = Pick<PageParts, 'icon' | 'theme' | 'base'> & {
  /** The public URL of the service, for the examples. */
  readonly publicUrl: string;
};

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
    const linked = linkedGuide(guide, href, guides);
    if (linked !== undefined) return `${base}/docs/${linked.guide.name}${linked.hash}`;
    return href.startsWith('/') ? base + href : href;
  };
  const content = renderMarkdown(guideText(guide, publicUrl), {
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
    markdown: `/docs/${guide.name}.md`,
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

function neighbours(guide: Guide, guides: readonly Guide[], base: string): string {
  const index = guides.indexOf(guide);
  const [before, after] = [guides[index - 1], guides[index + 1]];
  const link = (to: Guide | undefined, rel: string, label: string): string =>
    to === undefined
      ? ''
      : `<a rel="${rel}" href="${base}/docs/${to.name}"><small>${label}</small>${escapeHtml(to.title)}</a>`;
  return `<nav class="neighbours" aria-label="Next and previous guide">${link(before, 'prev', 'Before')}${link(after, 'next', 'Next')}</nav>`;
}
