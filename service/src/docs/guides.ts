import { readFileSync } from 'node:fs';

/** The guides are Markdown of the repository, so that they can be read there too. */
export const GUIDES_DIRECTORY = new URL('../../../docs/guides/', import.meta.url);

/** Every guide by its name in the address, in the order in which they are read. */
const FILES = {
  quickstart: 'quickstart.md',
  authentication: 'authentication.md',
  pagination: 'pagination.md',
  tailing: 'tailing.md',
  writing: 'writing.md',
  idempotency: 'idempotency.md',
  sandbox: 'sandbox.md',
  errors: 'errors.md',
  'error-codes': '../errors.md',
  limits: 'limits.md',
} as const;

export interface Guide {
  /** Last part of its address: `/docs/pagination`. */
  readonly name: string;
  readonly title: string;
  /** Its Markdown. */
  readonly text: string;
  readonly url: URL;
}

export const readGuides = (): readonly Guide[] =>
  Object.entries(FILES).map(([name, file]) => {
    const url = new URL(file, GUIDES_DIRECTORY);
    const text = readFileSync(url, 'utf8');
    return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text, url };
  });
