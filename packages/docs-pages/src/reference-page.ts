import type { Assets } from './assets.ts';
import { type PageParts, page } from './page.ts';

/**
 * Scalar writes style elements and style attributes, some without a nonce. Scripts are still allowed only from our files,
 * so such a style can change only what the page looks like.
 */
export const REFERENCE_STYLES: readonly string[] = ["'self'", "'unsafe-inline'"];

/** The API reference: Scalar over /openapi.json. */
export async function referencePage(
  assets: Assets,
  shared: Pick<PageParts, 'icon' | 'theme' | 'base'>,
): Promise<string> {
  const { base } = shared;
  const [style, own, scalar, script, docs] = await Promise.all([
    assets.get('docs.css'),
    assets.get('reference.css'),
    assets.get('scalar.js'),
    assets.get('reference.js'),
    assets.get('docs.js'),
  ]);
  const fileOf = ({ name }: { readonly name: string }): string => `${base}/docs/assets/${name}`;
  return page({
    ...shared,
    title: 'API reference · svc docs',
    description: 'Every endpoint of the API with its parameters, responses, errors and code samples.',
    styles: [style, own].map(fileOf),
    scripts: [docs, scalar, script].map(fileOf),
    section: 'reference',
    markdown: '/docs.md',
    body: `<div id="content" tabindex="-1" data-document="${base}/openapi.json" data-base="${base}">
<noscript><p class="plain">The reference needs JavaScript. The same content as text: <a href="${base}/docs.md">/docs.md</a>, and for programs: <a href="${base}/openapi.json">/openapi.json</a>.</p></noscript>
<div id="reference"></div>
</div>`,
  });
}
