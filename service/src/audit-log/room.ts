/** The limits of the entries that wait in one process. One workspace may have half of the entries and of the bytes. */
export interface RoomLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** Counts entries that wait, so that neither all of them nor those of one workspace use too much memory. */
export interface Room {
  /** Whether there is room for one more entry of the workspace. */
  fits(workspaceId: string, bytes: number): boolean;
  /** Adds entries, also beyond the limits. Negative numbers remove them. */
  add(workspaceId: string, entries: number, bytes: number): void;
  /** Of all workspaces. */
  readonly entries: number;
}

export function createRoom(limits: RoomLimits): Room {
  const all = { entries: 0, bytes: 0 };
  const byWorkspace = new Map<string, { entries: number; bytes: number }>();
  return {
    fits(workspaceId, bytes) {
      if (all.entries >= limits.entries || all.bytes + bytes > limits.bytes) return false;
      const own = byWorkspace.get(workspaceId);
      return own === undefined || (own.entries < limits.entries / 2 && own.bytes + bytes <= limits.bytes / 2);
    },
    add(workspaceId, entries, bytes) {
      const own = byWorkspace.get(workspaceId) ?? { entries: 0, bytes: 0 };
      for (const count of [all, own]) {
        count.entries += entries;
        count.bytes += bytes;
      }
      if (own.entries === 0) byWorkspace.delete(workspaceId);
      else byWorkspace.set(workspaceId, own);
    },
    get entries() {
      return all.entries;
    },
  };
}
