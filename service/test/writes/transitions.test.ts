import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { CHANGEABLE } from './cases.ts';
import { type Created, createWriteWorld, type WriteWorld } from './world.ts';

let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
});

/** Every pair of states of every resource that has states. */
const MOVES = CHANGEABLE.flatMap((of) => {
  const { transitions } = of.resource;
  if (transitions === undefined) return [];
  const states = Object.keys(transitions.moves);
  return states.flatMap((from) =>
    states
      .filter((to) => to !== from)
      .map((to) => ({ of, path: of.path, from, to, allowed: transitions.moves[from] ?? [], transitions })),
  );
});

test('the states of content are those of the decision', () => {
  const allowed = MOVES.filter(({ to, allowed: moves }) => moves.includes(to));
  expect(allowed.map(({ from, to }) => `${from} → ${to}`)).toEqual([
    'draft → in_review',
    'in_review → draft',
    'in_review → scheduled',
    'in_review → published',
    'scheduled → draft',
    'scheduled → published',
    'published → archived',
    'archived → draft',
  ]);
});

/** A state's time leaves out digits that are zeros, so times are not compared as texts. */
const instant = (time: unknown) => Temporal.Instant.from(String(time)).epochNanoseconds;

describe.each(MOVES)('$path from $from to $to', ({ of, path, from, to, allowed, transitions }) => {
  const { field, stamps } = transitions;
  const start = () => world.create(of, { [field]: from, publishedAt: null });

  test(allowed.includes(to) ? 'is allowed' : 'is refused, and says what is allowed', async () => {
    const record = await start();
    const answer = await world.send('PATCH', `${path}/${record.id}`, { [field]: to, title: 'Moved' });
    const now = await world.get(`${path}/${record.id}`);
    if (allowed.includes(to)) {
      expect(answer.status).toBe(200);
      expect(answer.json()).toMatchObject({ [field]: to, title: 'Moved' });
      expect(now.text).toBe(answer.text);
    } else {
      expectFailure(answer, 'invalid_transition', `from ${from} to ${to}`, allowed.join(', '));
      expect(now.json()).toEqual(record);
    }
  });

  // Only for states with a time.
  test.runIf(allowed.includes(to) && to in stamps)(
    'sets the time of the state, unless the record or the change has it',
    async () => {
      const stamp = stamps[to] ?? '';
      const [fresh, timed, given] = [await start(), await start(), await start()];
      const own = '2020-01-01T00:00:00Z';
      const move = async (record: Created, body = {}): Promise<Created> =>
        (await world.send('PATCH', `${path}/${record.id}`, { [field]: to, ...body })).json();
      const stamped = await move(fresh);
      expect(instant(stamped[stamp])).toBe(instant(stamped['updatedAt']));
      expect(await move(fresh, { [stamp]: null })).toEqual(stamped);
      await world.send('PATCH', `${path}/${timed.id}`, { [stamp]: own });
      expect((await move(timed))[stamp]).toBe(own);
      expect((await move(given, { [stamp]: own }))[stamp]).toBe(own);
    },
  );
});

test.each(MOVES.filter(({ to }) => to === 'draft'))(
  'a change that keeps the state $from is no transition, whatever else changes',
  async ({ of, path, from, transitions: { field } }) => {
    const { id } = await world.create(of, { [field]: from });
    const answer = await world.send('PATCH', `${path}/${id}`, { [field]: from, title: 'New title' });
    expect(answer.json()).toMatchObject({ [field]: from, title: 'New title' });
  },
);
