import { expect, test } from 'vitest';
import { checkHistory } from './check/check.ts';
import { PLANTS } from './plants.ts';
import { randomOf } from './random.ts';
import { runHistory } from './run.ts';

const SECONDS = Number(process.env['PROVE_SECONDS'] ?? 8);
const SEED = Number(process.env['PROVE_SEED'] ?? 1);
/** A schedule of faults can miss the planted one on a slow machine, so others follow. */
const SCHEDULES_MAX = 3;
const TIMEOUT_MS = SCHEDULES_MAX * (240_000 + SECONDS * 2_000);
/** All faults take about ten minutes. If the proof is not named, the seed chooses this many. */
const PLANTS_UNLESS_NAMED = 4;
const HOOK = new URL('./plant-hook.ts', import.meta.url).href;

const PLANTED =
  process.env['PROVE_NAMED'] === undefined ? randomOf(SEED).some(PLANTS, PLANTS_UNLESS_NAMED) : PLANTS;

// As many at a time as there are cores (vitest.config.ts).
test.concurrent.each(PLANTED)(
  'the checker finds $name',
  async (plant) => {
    let violations: readonly string[] = [];
    for (let schedule = 0; schedule < SCHEDULES_MAX && violations.length === 0; schedule++) {
      const { history } = await runHistory({
        seed: SEED + schedule,
        seconds: Math.max(SECONDS, plant.seconds ?? 0),
        webhooks: plant.webhooks ?? false,
        faults: plant.faults,
        imports: [HOOK],
        env: { PLANTED_FAULT: JSON.stringify(plant) },
      });
      violations = checkHistory(history);
    }
    expect(violations.slice(0, 20)).toContainEqual(expect.stringMatching(plant.found));
  },
  TIMEOUT_MS,
);
