import { age } from './age.ts';
import { counts } from './counts.ts';
import { creates } from './creates.ts';
import { disk } from './disk.ts';
import { feed } from './feed.ts';
import { imports } from './imports.ts';
import { lists } from './lists.ts';
import { neighbours } from './neighbours.ts';
import { pages } from './pages.ts';
import type { Scenario } from './scenario.ts';
import { sizes } from './sizes.ts';
import { waiting } from './waiting.ts';
import { webhooks } from './webhooks.ts';
import { workers } from './workers.ts';

/** All scenarios, in the order in which they run: those that write come after those that read. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  disk,
  pages,
  sizes,
  counts,
  lists,
  neighbours,
  age,
  creates,
  feed,
  waiting,
  imports,
  workers,
  webhooks,
};
