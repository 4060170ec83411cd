import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findChromium } from './screenshots/chromium.ts';
import { type Demo, startDemo } from './screenshots/demo.ts';
import { SHOTS, type Shot } from './screenshots/shots.ts';

// Pictures of every page of the dashboard, over the demo's data: `npm run screenshots -- [part of a name] …`.

const OUT = fileURLToPath(new URL('../dashboard/screenshots', import.meta.url));
const THEMES = ['light', 'dark'] as const;
const VIEWS = { wide: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } } as const;

const { positionals } = parseArgs({ allowPositionals: true });
const executablePath = findChromium();
if (executablePath === undefined) {
  console.error('screenshots: there is no /usr/bin/chromium, and it cannot be installed here');
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
  for (const theme of THEMES) {
    for (const [view, viewport] of Object.entries(VIEWS)) {
      for (const shot of wanted) {
        const storageState = shot.outside ? { cookies: [], origins: [] } : state;
        const context = await browser.newContext({ viewport, colorScheme: theme, storageState });
        await take(context, demo, shot, join(OUT, `${shot.name}.${view}.${theme}.png`));
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

async function signIn(browser: Browser, { signInLink }: Demo) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(signInLink);
  await page.waitForURL(/\/w\//);
  const state = await context.storageState();
  await context.close();
  return state;
}

async function take(context: BrowserContext, { url, workspaceId }: Demo, shot: Shot, path: string) {
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(`${shot.name}: ${message.text()}`);
  });
  page.on('pageerror', (error) => console.error(`${shot.name}: ${error.message}`));
  await page.goto(url + shot.path.replace(':w', workspaceId), { waitUntil: 'networkidle' });
  try {
    await shot.act?.(page);
  } catch (error) {
    console.error(`${shot.name}: ${String(error)}`);
  }
  await page.waitForLoadState('networkidle');
  // Past the animations.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map((a) => a.effect.getComputedTiming().endTime === Infinity ? 0 : a.finished))',
  );
  await page.screenshot({ path, fullPage: !shot.act });
}
