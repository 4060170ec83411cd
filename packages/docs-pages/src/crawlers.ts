import type { Guide } from './guides.ts';
import { escapeHtml } from './page.ts';

/** What search engines read. They index the documentation and nothing else of the service. */

/** The text of `/robots.txt`. `publicUrl` has no slash at its end. */
export function robots(publicUrl: string): string {
  const base = new URL(publicUrl).pathname.replace(/\/$/, '');
  const allowed = ['/docs', '/llms', '/openapi.json', '/sitemap.xml'].map(
    (path) => `Allow: ${base}${path}\n`,
  );
  return `User-agent: *\n${allowed.join('')}Disallow: ${base}/\n\nSitemap: ${publicUrl}/sitemap.xml\n`;
}

/** The text of `/sitemap.xml` (sitemaps.org): every page of the documentation. */
export function sitemap(guides: readonly Guide[], publicUrl: string): string {
  const paths = ['/docs', ...guides.map(({ name }) => `/docs/${name}`)];
  const entries = paths.map((path) => `<url><loc>${escapeHtml(publicUrl + path)}</loc></url>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('')}</urlset>
`;
}
