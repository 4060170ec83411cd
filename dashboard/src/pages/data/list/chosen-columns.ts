import { useMemo, useSyncExternalStore } from 'react';
import { columnChoices, columnsOf, type ResourceContract } from '../../../resources/resources.ts';

/** The columns that the viewer has chosen for each list, in this browser. */

const storedAs = ({ name }: ResourceContract): string => `svc.columns.${name}`;

/** What was chosen in this page, for browsers whose storage is switched off. */
const unstored = new Map<string, string>();
const listeners = new Set<() => void>();

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return unstored.get(key) ?? null;
  }
}

/** Chooses the columns of a list. Null: the default. */
export function chooseColumns(resource: ResourceContract, names: readonly string[] | null): void {
  const key = storedAs(resource);
  try {
    if (names === null) localStorage.removeItem(key);
    else localStorage.setItem(key, names.join(' '));
  } catch {
    if (names === null) unstored.delete(key);
    else unstored.set(key, names.join(' '));
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The fields that are shown as columns: the first one, those that are chosen, and the one that the list is sorted by. */
export function useChosenColumns(resource: ResourceContract, sorted: string): readonly string[] {
  const stored = useSyncExternalStore(subscribe, () => read(storedAs(resource)));
  return useMemo(() => {
    if (stored === null) return columnsOf(resource, sorted);
    const chosen = stored.split(' ');
    const [first = 'id'] = columnsOf(resource);
    return [first, ...columnChoices(resource).filter((name) => name === sorted || chosen.includes(name))];
  }, [stored, resource, sorted]);
}
