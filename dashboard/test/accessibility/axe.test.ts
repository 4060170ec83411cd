import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes } from '../harness/accessible.ts';
import { BROWSER_PATH, createWorld, type World } from '../harness/world.ts';

const page = (style: string, body: string): string =>
  `<!doctype html><html lang="en"><head><title>Page</title><style>${style}</style></head>
   <body><main><h1>Page</h1><p>Some text</p>${body}</main></body></html>`;
const DARK = '@media (prefers-color-scheme: dark)';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('what the tests of accessibility find', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });

  test('a page without a problem passes, and text that is too pale in only one theme is found', async () => {
    const visitor = await world.visitor();
    await visitor.page.setContent(page(`${DARK} { body { background: #000; color: #fff } }`, ''));
    await expectAccessibleInBothThemes(visitor.page);
    await visitor.page.setContent(page(`${DARK} { body { background: #000; color: #222 } }`, ''));
    await expect(expectAccessibleInBothThemes(visitor.page)).rejects.toMatchObject({
      actual: [expect.stringMatching(/^color-contrast: /)],
    });
  });

  test('an element that appears after the first look is found', async () => {
    const visitor = await world.visitor();
    await visitor.page.setContent(page('', ''));
    await expectAccessibleInBothThemes(visitor.page);
    await visitor.page.evaluate(() =>
      document.querySelector('main')?.append(document.createElement('button')),
    );
    await expect(expectAccessibleInBothThemes(visitor.page)).rejects.toMatchObject({
      actual: ['button-name: <button></button>'],
    });
  });
});
