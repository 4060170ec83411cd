import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { IssuedInvitation } from '../service/src/dashboard/wire.ts';
import { CHROMIUM_ARGUMENTS, findChromium } from './screenshots/chromium.ts';
import { type Demo, type RunningDemo, startDemo } from './screenshots/demo.ts';
import { SHOTS, type Shot } from './screenshots/shots.ts';

// `npm run screenshots -- [part of a name] …` takes pictures of the pages of the dashboard, with the demo's data. Default:
// all pages.

const OUT = fileURLToPath(new URL('../dashboard/screenshots', import.meta.url));
const SETTLE_MS = 400;
const THEMES = ['light', 'dark'] as const;
const VIEWS = { wide: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } } as const;

const { positionals } = parseArgs({ allowPositionals: true });
const executablePath = findChromium();
if (executablePath === undefined) {
  console.error('screenshots: /usr/bin/chromium does not exist and cannot be installed');
  process.exit(1);
}
const wanted = SHOTS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
const data = await mkdtemp(join(tmpdir(), 'svc-screenshots-'));
await mkdir(OUT, { recursive: true });
const demo = await startDemo(data);
const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_ARGUMENTS] });
try {
  const state = await signIn(browser, demo);
  const owner = await browser.newContext({ storageState: state });
  const invite = inviter(owner, demo);
  for (const theme of THEMES) {
    for (const [view, viewport] of Object.entries(VIEWS)) {
      for (const shot of wanted) {
        const storageState = shot.outside ? { cookies: [], origins: [] } : state;
        const context = await browser.newContext({ viewport, colorScheme: theme, storageState });
        await take(context, { ...demo, invite }, shot, (name) => join(OUT, `${name}.${view}.${theme}.png`));
        await context.close();
      }
    }
  }
  console.log(`${wanted.length * THEMES.length * Object.keys(VIEWS).length} pictures in ${OUT}`);
} finally {
  await browser.close();
  await demo.stop();
  await rm(data, { recursive: true, force: true });
}

async function signIn(browser: Browser, { signInLink }: RunningDemo) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(signInLink);
  await page.waitForURL(/\/w\//);
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Returns a function that creates invitations, with the owner's session. */
function inviter({ request }: BrowserContext, { url, workspaceId }: RunningDemo): Demo['invite'] {
  let invited = 0;
  return async () => {
    const email = `grace${++invited}@example.com`;
    const answer = await request.post(`${url}/dashboard/api/workspaces/${workspaceId}/invitations`, {
      headers: { origin: url, 'idempotency-key': randomUUID() },
      data: { email, role: 'viewer' },
    });
    return { email, link: ((await answer.json()) as IssuedInvitation).link ?? '' };
  };
}

async function take(context: BrowserContext, demo: Demo, shot: Shot, fileOf: (name: string) => string) {
  const { url, workspaceId } = demo;
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(`${shot.name}: ${message.text()}`);
  });
  page.on('pageerror', (error) => console.error(`${shot.name}: ${error.message}`));
  await page.goto(url + shot.path.replace(':w', workspaceId), { waitUntil: 'networkidle' });
  try {
    await shot.act?.(page, demo, async (name) => {
      await settle(page);
      await page.screenshot({ path: fileOf(name) });
    });
  } catch (error) {
    console.error(`${shot.name}: ${String(error)}`);
  }
  await settle(page);
  // The window gets the height of the page, because the document has only the visible rows of a long table.
  const size = page.viewportSize();
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  if (size !== null && (shot.act === undefined || shot.whole === true)) {
    await page.setViewportSize({ ...size, height: Math.max(size.height, height) });
  }
  await page.screenshot({ path: fileOf(shot.name) });
}

/** Waits for requests that the last action is about to send, for their responses, and for the end of animations. */
async function settle(page: Page): Promise<void> {
  await page.waitForTimeout(SETTLE_MS);
  await page.waitForLoadState('networkidle');
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map((a) => a.effect.getComputedTiming().endTime === Infinity ? 0 : a.finished))',
  );
}
