import { KNOWN_SESSIONS_MAX } from '../limits.ts';

/** Whose sessions were live when this process last looked them up. It decides who waits for whom, never who may do what. */
export interface KnownSessions {
  personOf(session: string): string | undefined;
  /** Undefined: the session has ended. */
  keep(session: string, personId: string | undefined): void;
}

/** Remembers the sessions that were looked up last. */
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
