/** Who takes a place, and how many places they may have at the same time. */
interface PlaceOwner {
  readonly name: string;
  readonly most: number;
}

/** Why there is no place: an owner has too many, or `all` have. */
type NoPlace = PlaceOwner | 'all';

/** Places for what runs at the same time: at most `most` in all, and fewer for each owner. */
export interface Places {
  /** Takes one place for all of these owners. Returns the function that frees it; call that once. */
  readonly take: (owners: readonly PlaceOwner[]) => (() => void) | NoPlace;
}

export function createPlaces(most: number): Places {
  const taken = new Map<string, number>();
  let total = 0;
  const add = (owners: readonly PlaceOwner[], count: 1 | -1): void => {
    total += count;
    for (const { name } of owners) {
      const now = (taken.get(name) ?? 0) + count;
      if (now === 0) taken.delete(name);
      else taken.set(name, now);
    }
  };
  return {
    take(owners) {
      const full = owners.find((owner) => (taken.get(owner.name) ?? 0) >= owner.most);
      if (full !== undefined) return full;
      if (total >= most) return 'all';
      add(owners, 1);
      return () => add(owners, -1);
    },
  };
}
