import { afterEach, expect, test } from 'vitest';
import { killFixtures } from '../fixture-process.ts';
import { expectKilledUpgradeIsHarmless } from './old-data.ts';

afterEach(killFixtures);

// `npm run prove -- upgrade-database` kills at every step.
test.each(['new-server-ready', 'new-complete', 'old-kept'])(
  'an upgrade that is killed at the step %s leaves the old or the new cluster, and a repeat finishes',
  async (step) => {
    await expectKilledUpgradeIsHarmless(step);
    expect.hasAssertions();
  },
);
