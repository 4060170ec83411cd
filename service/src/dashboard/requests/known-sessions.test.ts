import { expect, test } from 'vitest';
import { createKnownSessions } from './connections.ts';

test('a session is known until it has ended', () => {
  const known = createKnownSessions();
  known.keep('session', 'person');
  expect(known.personOf('session')).toBe('person');
  known.keep('session', undefined);
  expect(known.personOf('session')).toBeUndefined();
});

test('only the sessions that were looked up last are kept', () => {
  const known = createKnownSessions(2);
  for (const session of ['one', 'two', 'one', 'three']) known.keep(session, `person of ${session}`);
  expect(['one', 'two', 'three'].map(known.personOf)).toEqual([
    'person of one',
    undefined,
    'person of three',
  ]);
});
