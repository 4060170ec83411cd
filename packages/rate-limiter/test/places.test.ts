import { expect, test } from 'vitest';
import { createPlaces } from '../src/places.ts';

test('each owner and all together have a limited number of places, and a freed place can be taken again', () => {
  const places = createPlaces(3);
  const [one, two] = [
    { name: 'one', most: 2 },
    { name: 'two', most: 2 },
  ];
  const free = places.take([one]);
  expect(free).toBeTypeOf('function');
  expect(places.take([one])).toBeTypeOf('function');
  expect(places.take([one])).toBe(one);
  // A refusal takes no place of another owner.
  expect(places.take([two, one])).toBe(one);
  expect(places.take([two])).toBeTypeOf('function');
  expect(places.take([two])).toBe('all');
  (free as () => void)();
  expect(places.take([two])).toBeTypeOf('function');
  expect(places.take([two])).toBe(two);
});
