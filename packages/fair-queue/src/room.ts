/** The limits of the entries that wait in one process. One owner may have half of the entries and of the bytes. */
export interface RoomLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** Counts entries that wait, so that neither all of them nor those of one owner use too much memory. */
export interface Room {
  /** Whether there is room for one more entry of the owner. */
  fits(owner: string, bytes: number): boolean;
  /** Adds entries, also beyond the limits. Negative numbers remove them. */
  add(owner: string, entries: number, bytes: number): void;
  /** Of all owners. */
  readonly entries: number;
}

export function createRoom(limits: RoomLimits): Room {
  const all = { entries: 0, bytes: 0 };
  const byOwner = new Map<string, { entries: number; bytes: number }>();
  return {
    fits(owner, bytes) {
      if (all.entries >= limits.entries || all.bytes + bytes > limits.bytes) return false;
      const own = byOwner.get(owner);
      return own === undefined || (own.entries < limits.entries / 2 && own.bytes + bytes <= limits.bytes / 2);
    },
    add(owner, entries, bytes) {
      const own = byOwner.get(owner) ?? { entries: 0, bytes: 0 };
      for (const count of [all, own]) {
        count.entries += entries;
        count.bytes += bytes;
      }
      if (own.entries === 0) byOwner.delete(owner);
      else byOwner.set(owner, own);
    },
    get entries() {
      return all.entries;
    },
  };
}
