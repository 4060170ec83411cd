import { readFileSync } from 'node:fs';

/** The folder of the guides: Markdown files that people can also read in the repository. */
export const GUIDES_DIRECTORY = new URL('../../../docs/guides/', import.meta.url);

/** The URL in the examples of the Markdown files: that of a service with default settings. */
export const EXAMPLE_ADDRESS = 'http://127.0.0.1:8080';

/** The file of each guide by its name in the URL, in reading order. */
const FILES = {
  quickstart: 'quickstart.md',
  authentication: 'authentication.md',
  pagination: 'pagination.md',
  filters: 'filters.md',
  tailing: 'tailing.md',
  stream: 'stream.md',
  copies: 'copies.md',
  webhooks: 'webhooks.md',
  writing: 'writing.md',
  idempotency: 'idempotency.md',
  sandbox: 'sandbox.md',
  errors: 'errors.md',
  'error-codes': '../errors.md',
  limits: 'limits.md',
  client: '../../sdk/README.md',
  agents: 'agents.md',
  changelog: '../../CHANGELOG.md',
} as const;

/** The page that has what was, not what is. */
export const CHANGELOG = 'changelog' satisfies keyof typeof FILES;

export interface Guide {
  /** Last part of its URL: `/docs/pagination`. */
  readonly name: string;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  readonly url: URL;
}

export const readGuides = (): readonly Guide[] =>
  Object.entries(FILES).map(([name, file]) => {
    const url = new URL(file, GUIDES_DIRECTORY);
    const text = readFileSync(url, 'utf8');
    const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
    return { name, title, text: name === CHANGELOG ? withoutOtherFiles(text, url) : text, url };
  });

/** The text without the links to what the service does not serve, such as other files of the repository. */
function withoutOtherFiles(text: string, base: URL): string {
  const served = Object.values(FILES).map((file) => new URL(file, GUIDES_DIRECTORY).href);
  return text
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link: string, label: string, href: string) =>
      served.includes(new URL(href.replace(/#.*/, ''), base).href) ? link : label,
    )
    .replace(/\s\((?:how|why)(?:,\s+(?:how|why))?\)/g, '');
}

/** The first paragraph as plain text. */
export const descriptionOf = ({ text }: Guide): string =>
  (text.split(/\n{2,}/)[1] ?? '').replace(/\[([^\]]+)\]\([^)]*\)|[`*]/g, '$1').replace(/\s+/g, ' ');
