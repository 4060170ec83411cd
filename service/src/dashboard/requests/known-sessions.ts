import { KNOWN_SESSIONS_MAX } from '../limits.ts';

/**
 * The people of the sessions that were active when this process last looked them up. Used to share connections, not
 * to authorize.
 */
export interface KnownSessions {
  personOf(session: string): string | undefined;
  /** Stores the person of a session. With undefined, removes the session, because it has ended. */
  keep(session: string, personId: string | undefined): void;
}

/** Keeps the `max` sessions that were looked up last. */
export function createKnownSessions(max = KNOWN_SESSIONS_MAX): KnownSessions {
  const people = new Map<string, string>();
  return {
    personOf: (session) => people.get(session),
    keep(session, personId) {
      people.delete(session);
      if (personId === undefined) return;
      people.set(session, personId);
      const [oldest] = people.keys();
      if (people.size > max && oldest !== undefined) people.delete(oldest);
    },
  };
}
