import type { AddressInfo } from 'node:net';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import {
  createTestDashboard,
  PUBLIC_URL,
  type Visitor as Session,
  type TestDashboard,
} from '@svc/service/harness/dashboard.ts';
import { createTestService, type TestService } from '@svc/service/harness/service.ts';
import type { Page } from 'playwright-core';
import { type LaunchOptions, launch } from './launch.ts';
import { openVisitor, type Visitor } from './visitor.ts';

/**
 * Console messages to ignore: about responses and connections that a test lets fail, and about headers that Chromium
 * ignores without TLS.
 */
const EXPECTED = /status of \d{3}|net::ERR_|origin was untrustworthy|origin-keyed agent cluster/;

/**
 * The test service of service/test/harness on a real port, and a browser that reaches it at PUBLIC_URL. For tests that
 * need its clock, keys or records. Tests that only need people use world.ts.
 */
export interface ServiceWorld {
  readonly service: TestService;
  readonly dashboard: TestDashboard;
  /** URL of the service for programs. */
  readonly url: string;
  /** Opens a page, signed in as the person. An error in the page fails the test file. */
  open(session: Session, path: string, look?: Look): Promise<Page>;
}

interface Look {
  readonly theme?: 'light' | 'dark';
  /** In pixels. Default: 1280. */
  readonly width?: number;
}

export async function createServiceWorld(
  options: Pick<LaunchOptions, 'asForPeople'> = {},
): Promise<ServiceWorld> {
  const service = await createTestService();
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.address() as AddressInfo;
  const address = `127.0.0.1:${port}`;
  const { host } = new URL(PUBLIC_URL);
  const resolve = `--host-resolver-rules=MAP ${host} ${address}, MAP * ~NOTFOUND`;
  const browser = await launch({ ...options, more: [resolve] });
  const visitors: Visitor[] = [];
  onFileEnd(async () => {
    await browser.close();
    for (const { expectNoProblems } of visitors) expectNoProblems(EXPECTED);
  });
  return {
    service,
    dashboard: createTestDashboard(service),
    url: `http://${address}`,
    open: async ({ cookie }, path, { theme = 'light', width = 1280 } = {}) => {
      const visitor = await openVisitor(browser, PUBLIC_URL, {
        viewport: { width, height: 900 },
        colorScheme: theme,
        reducedMotion: 'reduce',
        // An origin without TLS has no clipboard, so there is no permission to grant.
        permissions: [],
      });
      visitors.push(visitor);
      const split = cookie.indexOf('=');
      await visitor.context.addCookies([
        { name: cookie.slice(0, split), value: cookie.slice(split + 1), url: PUBLIC_URL },
      ]);
      await visitor.page.goto(path);
      return visitor.page;
    },
  };
}
