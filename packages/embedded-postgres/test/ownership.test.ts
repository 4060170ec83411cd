import { rm } from 'node:fs/promises';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { findEmbedded } from '../src/index.ts';
import { type FixtureProcess, killFixtures, spawnFixture } from './fixture-process.ts';
import { dataDirectory, killServer } from './support/data-directory.ts';

/** The number of concurrent starts on one directory. */
const RACERS = 3;

const dataDir = await dataDirectory();

afterEach(async () => {
  await killFixtures();
  await killServer(dataDir);
});

async function race(): Promise<{ winners: FixtureProcess[]; losers: FixtureProcess[] }> {
  const racers = Array.from({ length: RACERS }, (_, index) =>
    spawnFixture('service', dataDir, { purpose: `racer ${index}` }),
  );
  const outcomes = await Promise.all(racers.map(async (racer) => (await racer.outcome).ready === true));
  return { winners: racers.filter((_, i) => outcomes[i]), losers: racers.filter((_, i) => !outcomes[i]) };
}

describe('a data directory', () => {
  test('belongs to one service: a second one is refused with the name and process id of the first', async () => {
    const first = spawnFixture('service', dataDir, { purpose: 'svcd start' });
    expect(await first.outcome).toMatchObject({ ready: true, adopted: false });
    const second = spawnFixture('service', dataDir);
    expect(await second.outcome).toMatchObject({
      refused: 'DataDirectoryInUseError',
      message: expect.stringContaining(`is in use by svcd start (pid ${first.pid})`),
    });
    await first.stop();
    expect(first.messages).toContainEqual({ stopped: true });
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });

  test('is used by exactly one of several services that start at the same time, with and without a database', async () => {
    await rm(dataDir, { recursive: true, force: true });
    for (const state of ['new', 'made before']) {
      const { winners, losers } = await race();
      expect(winners, state).toHaveLength(1);
      const [winner] = winners;
      for (const loser of losers) {
        expect((await loser.outcome).message, state).toContain(`(pid ${winner?.pid})`);
      }
      await winner?.stop();
      expect(await findEmbedded(dataDir), state).toBeUndefined();
    }
  });

  test('can be used at once after its service was killed', async () => {
    const first = spawnFixture('service', dataDir);
    await first.outcome;
    await first.kill();
    const second = spawnFixture('service', dataDir);
    expect(await second.outcome).toMatchObject({ ready: true, adopted: true });
  });
});

describe('a command', () => {
  test('uses the server of the service, and leaves it running', async () => {
    const service = spawnFixture('service', dataDir);
    const { url, pid } = await service.outcome;
    const command = spawnFixture('command', dataDir);
    expect(await command.outcome).toMatchObject({ ready: true, adopted: true, url, pid });
    await command.stop();
    expect(await findEmbedded(dataDir)).toEqual({ url });
  });

  test('starts a server if none runs, and stops it at its end', async () => {
    const command = spawnFixture('command', dataDir);
    expect(await command.outcome).toMatchObject({ ready: true, adopted: false });
    await command.stop();
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });

  test('that started the server leaves it to the commands that still use it; the last one stops it', async () => {
    const first = spawnFixture('command', dataDir, { purpose: 'svcd import' });
    const { url } = await first.outcome;
    const second = spawnFixture('command', dataDir, { purpose: 'svcd export' });
    await second.outcome;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await first.stop();
    expect(first.messages.at(-2)?.msg).toContain(`running for svcd export (pid ${second.pid})`);
    expect((await client.query('select 1 as alive')).rows).toEqual([{ alive: 1 }]);
    await client.end();
    await second.stop();
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });

  test('that started the server hands it over to a service that starts before the command ends', async () => {
    const command = spawnFixture('command', dataDir, { purpose: 'svcd import' });
    await command.outcome;
    const service = spawnFixture('service', dataDir);
    expect(await service.outcome).toMatchObject({ ready: true, adopted: true });
    const said = service.messages.find((message) => message.msg?.startsWith('uses the PostgreSQL'));
    expect(said?.msg).toContain(`that svcd import (pid ${command.pid}) started`);
    await command.stop();
    expect(await findEmbedded(dataDir)).toBeDefined();
    await service.stop();
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });

  test('keeps its connection when the service next to it stops', async () => {
    const service = spawnFixture('service', dataDir);
    const { url } = await service.outcome;
    const command = spawnFixture('command', dataDir);
    await command.outcome;
    await service.stop();
    expect(await findEmbedded(dataDir)).toEqual({ url });
    await command.stop();
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });

  test('that starts while the last user shuts the server down starts the server again', async () => {
    for (let round = 0; round < RACERS; round++) {
      const leaving = spawnFixture('command', dataDir);
      await leaving.outcome;
      const coming = Array.from({ length: RACERS }, () => spawnFixture('command', dataDir));
      await Promise.all([
        leaving.stop(),
        ...coming.map(async (each) => expect((await each.outcome).ready).toBe(true)),
      ]);
      await Promise.all(coming.map((each) => each.stop()));
      expect(await findEmbedded(dataDir)).toBeUndefined();
    }
  });
});
