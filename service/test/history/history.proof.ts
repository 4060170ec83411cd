import { expect, test } from 'vitest';
import { checkHistory } from './check/check.ts';
import { isSuccess, outcomeOf } from './history.ts';
import { runHistory } from './run.ts';

const SECONDS = Number(process.env['PROVE_SECONDS'] ?? 40);
const SEED = Number(process.env['PROVE_SEED'] ?? 1);
const TIMEOUT_MS = 240_000 + SECONDS * 2_000;

test(
  'clients on two nodes under faults: what was acknowledged is there once and reaches every follower, and nothing else',
  async () => {
    const { history, faults } = await runHistory({ seed: SEED, seconds: SECONDS });
    const outcomes = Object.groupBy(history.writes, outcomeOf);
    const connections = history.streams.flatMap((reader) => reader.connections);
    process.stdout.write(
      `${faults.length} faults: ${faults.join(', ')}\n` +
        `${history.attempts.length} requests, ${history.attempts.filter(({ status }) => isSuccess(status)).length} successful; ` +
        `writes: ${Object.entries(outcomes)
          .map(([outcome, { length }]) => `${length} ${outcome}`)
          .join(', ')}; ` +
        `${history.walks.length} walks, ${history.tails.map(({ ids }) => ids.length).join(' and ')} items in tails, ` +
        `${history.copies.map(({ by, changes }) => `${changes.length} changes by ${by}`).join(', ')}; ` +
        `${history.longPolls.length} long polls, ${connections.length} streams, webhooks: ` +
        `${history.receivers.map(({ arrivals, name }) => `${arrivals.length} (${name})`).join(', ')}; ` +
        `${history.endedTokens.length} ended tokens\n`,
    );
    expect(checkHistory(history)).toEqual([]);
    // A run without events proves nothing.
    expect(history.walks.length).toBeGreaterThan(0);
    expect(history.endedTokens.length).toBeGreaterThan(0);
    expect(history.longPolls.length).toBeGreaterThan(0);
    expect(connections.length).toBeGreaterThan(1);
    expect(outcomes.acknowledged?.length).toBeGreaterThan(50);
    expect(outcomes.refused?.length).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
