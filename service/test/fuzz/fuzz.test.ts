import { expect, test } from 'vitest';
import { createTestService } from '../harness/service.ts';
import { createWriteWorld } from '../writes/world.ts';
import { fuzz } from './run.ts';

const REQUESTS = 1_200;
const SEED = 20_261_121;

test('every response to a request from the OpenAPI document is one that it describes', async () => {
  const world = await createWriteWorld(await createTestService());
  const { requests, statuses, chained } = await fuzz({ world, seed: SEED, goOn: (made) => made < REQUESTS });
  expect(requests).toBe(REQUESTS);
  expect(chained).toBeGreaterThan(REQUESTS / 10);
  // Some requests are accepted, and some are refused.
  const accepted = Object.entries(statuses).flatMap(([status, count]) =>
    Number(status) < 400 ? [count] : [],
  );
  expect(accepted.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(REQUESTS / 5);
  expect(statuses['400']).toBeGreaterThan(REQUESTS / 20);
});
