/** Escapes text for HTML, also for attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The parts of a page of the documentation. */
export interface PageParts {
  readonly title: string;
  /** For search results and previews; plain text. */
  readonly description: string;
  /** HTML below the header. */
  readonly body: string;
  /** URLs of the icon, style sheets and scripts. `theme` is a script that runs before the first paint. */
  readonly icon: string;
  readonly styles: readonly string[];
  readonly theme: string;
  readonly scripts: readonly string[];
  readonly section: 'guides' | 'reference';
  /** The path of the page as Markdown. */
  readonly markdown: string;
  /** The path of the public URL, without a trailing slash. It precedes every path of the service; usually ''. */
  readonly base: string;
}

const SUN =
  '<svg class="sun" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="4"/><path d="M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4"/></svg>';
const MOON =
  '<svg class="moon" viewBox="0 0 24 24" aria-hidden="true"><path d="M20.5 14.5A8.5 8.5 0 0 1 9.5 3.5a8.5 8.5 0 1 0 11 11Z"/></svg>';

/** A complete page: the header that all pages share, and the body. */
export function page(parts: PageParts): string {
  const { title, description, body, icon, styles, theme, scripts, section, base, markdown } = parts;
  const item = (of: PageParts['section'], path: string, label: string): string =>
    `<a href="${base}${path}"${of === section ? ' aria-current="true"' : ''}>${label}</a>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeHtml(description)}">
<title>${escapeHtml(title)}</title>
<link rel="alternate" type="text/markdown" href="${base}${markdown}">
<link rel="icon" type="image/svg+xml" href="${icon}">
${styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('\n')}
<script src="${theme}"></script>
${scripts.map((src) => `<script defer src="${src}"></script>`).join('\n')}
</head>
<body class="${section}">
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="name" href="${base}/docs"><img src="${icon}" alt="" width="24" height="24">svc <span>docs</span></a>
<nav aria-label="Documentation">${item('guides', '/docs/quickstart', 'Guides')}${item('reference', '/docs', 'API reference')}</nav>
<a class="dashboard" href="${base}/">Dashboard</a>
<button type="button" class="theme" aria-label="Switch between light and dark" hidden>${SUN}${MOON}</button>
</header>
${body}
</body>
</html>
`;
}
