import { useEffect, useEffectEvent, useMemo, useState, useSyncExternalStore } from 'react';
import { createListeners } from '../../../listeners.ts';
import {
  columnChoices,
  columnsOf,
  namingField,
  type ResourceContract,
} from '../../../resources/resources.ts';

/** The columns that the viewer has chosen for each list: in the URL, and in this browser for links that name none. */

const storedAs = ({ name }: ResourceContract): string => `svc.columns.${name}`;

/** What was chosen in this page, for browsers whose storage is switched off. */
const unstored = new Map<string, string>();
const { notify, subscribe } = createListeners();

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return unstored.get(key) ?? null;
  }
}

function write(key: string, choice: string | undefined): void {
  try {
    if (choice === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
  } catch {
    if (choice === undefined) unstored.delete(key);
    else unstored.set(key, choice);
  }
  notify();
}

/** A choice (`title,url`) without the columns that the list does not have. Undefined: it has no others. */
function known(resource: ResourceContract, choice: string | null | undefined): string | undefined {
  const chosen = choice?.split(',') ?? [];
  const names = [namingField(resource), ...columnChoices(resource)].filter((name) => chosen.includes(name));
  return names.length === 0 ? undefined : names.join(',');
}

export interface ChosenColumns {
  /** The fields that are shown: the first one, those that are chosen, and the one that the list is sorted by. */
  readonly names: readonly string[];
  /** Null: the default. */
  readonly choose: (names: readonly string[] | null) => void;
}

/**
 * The columns of a list: those in the URL, otherwise those that were chosen last in this browser. These are then put into
 * the URL, so that it shows the same to others. `linked`: the choice in the URL. `onLink` puts one there.
 */
export function useChosenColumns(
  resource: ResourceContract,
  sorted: string,
  linked: string | undefined,
  onLink: (choice: string | undefined) => void,
): ChosenColumns {
  const key = storedAs(resource);
  const text = useSyncExternalStore(subscribe, () => read(key));
  // The address follows a choice later.
  const [own, setOwn] = useState<{
    readonly linked: string | undefined;
    readonly chosen: string | undefined;
  }>();
  const inLink = own !== undefined && own.linked === linked ? own.chosen : known(resource, linked);
  const stored = known(resource, text);
  const choice = inLink ?? stored;
  const unlinked = inLink === undefined ? stored : undefined;
  const link = useEffectEvent(onLink);
  useEffect(() => {
    if (unlinked !== undefined) link(unlinked);
  }, [unlinked]);
  const names = useMemo(() => {
    if (choice === undefined) return columnsOf(resource, sorted);
    const chosen = choice.split(',');
    const others = columnChoices(resource).filter((name) => name === sorted || chosen.includes(name));
    return [namingField(resource), ...others];
  }, [choice, resource, sorted]);
  return {
    names,
    choose: (next) => {
      const chosen = known(resource, next?.join(','));
      setOwn({ linked, chosen });
      write(key, chosen);
      onLink(chosen);
    },
  };
}
