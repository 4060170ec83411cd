import { expect, test } from 'vitest';
import { BROWSER_PATH, createWorld } from '../harness/world.ts';

// Skipped without Chromium, which is an error in CI.
test.skipIf(BROWSER_PATH === undefined)(
  'what is selected differs from the rest in the colours of the system',
  async () => {
    const world = await createWorld();
    const ada = await world.person('Ada');
    const { page } = await world.signedIn(ada, { forcedColors: 'active' });
    await page.goto(`/w/${ada.workspaceId}/settings`);
    await page.getByRole('tab').first().waitFor();
    const system = (name: string) =>
      page.evaluate((color) => {
        const probe = document.createElement('i');
        probe.style.color = color;
        document.body.append(probe);
        const shown = getComputedStyle(probe).color;
        probe.remove();
        return shown;
      }, name);
    const colors = [await system('HighlightText'), await system('Highlight')];
    for (const selected of [
      page.getByRole('tab', { selected: true }),
      page.getByRole('link', { name: 'Settings' }),
    ]) {
      const shown = await selected.evaluate((element) => {
        const { color, backgroundColor } = getComputedStyle(element);
        return [color, backgroundColor];
      });
      expect(shown).toEqual(colors);
    }
  },
);
