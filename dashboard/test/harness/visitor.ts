import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

const ACTION_TIMEOUT_MS = 30_000;

/** A page in its own browser context. */
export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console and of scripts, and requests to other hosts, since the last `expectNoProblems`. */
  readonly problems: string[];
  /** Fails if there were problems that `expected` does not match. */
  expectNoProblems(expected?: RegExp): void;
}

export async function openVisitor(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: url,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  context.setDefaultTimeout(ACTION_TIMEOUT_MS);
  const problems: string[] = [];
  context.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(`${url}/`) && !/^(?:data|blob):/.test(address))
      problems.push(`request to ${address}`);
  });
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  context.on('weberror', (error) => problems.push(String(error.error())));
  const page = await context.newPage();
  onFileEnd(() => context.close());
  return {
    page,
    context,
    problems,
    expectNoProblems: (expected) => {
      const found = problems.splice(0).filter((problem) => expected?.test(problem) !== true);
      expect(found).toEqual([]);
    },
  };
}
