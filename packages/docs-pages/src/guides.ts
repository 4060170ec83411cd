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
} as const;

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
    return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text, url };
  });

/** The first paragraph as plain text. */
export const descriptionOf = ({ text }: Guide): string =>
  (text.split(/\n{2,}/)[1] ?? '').replace(/\[([^\]]+)\]\([^)]*\)|[`*]/g, '$1').replace(/\s+/g, ' ');
