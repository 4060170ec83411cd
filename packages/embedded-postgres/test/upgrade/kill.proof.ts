import { afterEach, expect, test } from 'vitest';
import { START_STEPS, UPGRADE_STEPS } from '../../src/log.ts';
import { killFixtures } from '../fixture-process.ts';
import { expectKilledUpgradeIsHarmless } from './old-data.ts';

afterEach(killFixtures);

/** Both servers start. The second one creates its cluster. */
const STARTS = START_STEPS.flatMap((step) => {
  if (step === 'server-spawned' || step === 'server-ready') return [step, `${step}#2`];
  return step.startsWith('cluster-') ? [step] : [];
});

test.each([...UPGRADE_STEPS, ...STARTS])(
  'an upgrade that is killed at the step %s leaves the old or the new cluster, and a repeat finishes',
  async (step) => {
    await expectKilledUpgradeIsHarmless(step);
    expect.hasAssertions();
  },
);
