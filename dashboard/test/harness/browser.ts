import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { onFileEnd } from '../../../service/test/harness/cleanup.ts';
import {
  createTestDashboard,
  PUBLIC_URL,
  type TestDashboard,
  type Visitor,
} from '../../../service/test/harness/dashboard.ts';
import { createTestService, type TestService } from '../../../service/test/harness/service.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Of one step; below a test's, so that the step that failed is named. */
const STEP_TIMEOUT_MS = 10_000;
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** A service over a database of its own, behind a real port, and a browser that finds it at PUBLIC_URL. */
export interface BrowserWorld {
  readonly service: TestService;
  readonly dashboard: TestDashboard;
  /** The address for programs. */
  readonly url: string;
  /** A page of its own, signed in as this person; what went wrong in it fails the test file. */
  open(visitor: Visitor, path: string, look?: Look): Promise<Page>;
}

export interface Look {
  readonly theme?: 'light' | 'dark';
  /** Pixels. */
  readonly width?: number;
}

export async function createBrowserWorld(): Promise<BrowserWorld> {
  const service = await createTestService();
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.address() as AddressInfo;
  const host = new URL(PUBLIC_URL).host;
  const executablePath = inject('chromium');
  if (executablePath === undefined) throw new Error('there is no Chromium');
  const browser: Browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', `--host-resolver-rules=MAP ${host} 127.0.0.1:${port}, MAP * ~NOTFOUND`],
  });
  const contexts: BrowserContext[] = [];
  const problems: string[] = [];
  onFileEnd(async () => {
    await browser.close();
    expect(problems, 'what went wrong in the pages').toEqual([]);
  });
  return {
    service,
    dashboard: createTestDashboard(service),
    url: `http://127.0.0.1:${port}`,
    open: async ({ cookie }, path, { theme = 'light', width = 1280 } = {}) => {
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme: theme,
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
      });
      contexts.push(context);
      const split = cookie.indexOf('=');
      await context.addCookies([
        { name: cookie.slice(0, split), value: cookie.slice(split + 1), url: PUBLIC_URL },
      ]);
      const page = await context.newPage();
      page.setDefaultTimeout(STEP_TIMEOUT_MS);
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('request', (request) => {
        const { protocol, host: asked } = new URL(request.url());
        if (protocol.startsWith('http') && asked !== host) problems.push(`asked ${request.url()}`);
      });
      await page.goto(`${PUBLIC_URL}${path}`);
      return page;
    },
  };
}

/** axe finds nothing, and the page is no wider than its window. */
export async function expectSound(page: Page): Promise<void> {
  await page.evaluate(AXE);
  const findings = await page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as { axe: AxeRunner };
    const { violations } = await axe.run(document, { runOnly: tags });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, AXE_TAGS);
  expect(findings).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
}

interface AxeRunner {
  run(
    context: unknown,
    options: { readonly runOnly: readonly string[] },
  ): Promise<{ readonly violations: readonly { id: string; nodes: readonly { html: string }[] }[] }>;
}
