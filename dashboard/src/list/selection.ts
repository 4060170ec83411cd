import { useState } from 'react';

/** The items of a list that the viewer has selected. */
export interface Selection<Item extends { readonly id: string }> {
  /** By id, as they were when they were selected. They need not be loaded: another order may not show them yet. */
  readonly items: ReadonlyMap<string, Item>;
  /** Whether all loaded items are selected, or some of them. */
  readonly loaded: 'all' | 'some' | 'none';
  /** Selects or deselects an item. With `range`, also all items between it and the one before. */
  readonly toggle: (item: Item, range: boolean) => void;
  /** Selects all loaded items, or deselects them if all are selected. */
  readonly toggleAll: () => void;
  /** Deselects all other items. */
  readonly keep: (ids: ReadonlySet<string>) => void;
}

interface Selected<Item> {
  readonly listKey: string;
  readonly items: ReadonlyMap<string, Item>;
  /** The item that was toggled last. */
  readonly anchor: string | null;
}

/**
 * A selection that stays while more items load. `listKey` names what the list can contain: with another key, nothing is
 * selected.
 */
export function useSelection<Item extends { readonly id: string }>(
  items: readonly Item[],
  listKey: string,
): Selection<Item> {
  const [state, setState] = useState<Selected<Item>>({ listKey, items: new Map(), anchor: null });
  const selected: Selected<Item> =
    state.listKey === listKey ? state : { listKey, items: new Map(), anchor: null };
  const set = (changed: readonly Item[], on: boolean, anchor: string | null): void => {
    const next = new Map(selected.items);
    for (const item of changed) {
      if (on) next.set(item.id, item);
      else next.delete(item.id);
    }
    setState({ listKey, items: next, anchor });
  };
  const count = items.reduce((sum, { id }) => sum + (selected.items.has(id) ? 1 : 0), 0);
  const all = count > 0 && count === items.length;
  return {
    items: selected.items,
    loaded: all ? 'all' : count > 0 ? 'some' : 'none',
    toggle: (item, range) => {
      const at = items.findIndex(({ id }) => id === item.id);
      const from = range ? items.findIndex(({ id }) => id === selected.anchor) : -1;
      const changed = from === -1 ? [item] : items.slice(Math.min(at, from), Math.max(at, from) + 1);
      set(changed, !selected.items.has(item.id), item.id);
    },
    toggleAll: () => set(items, !all, null),
    keep: (ids) =>
      setState({
        listKey,
        items: new Map([...selected.items].filter(([id]) => ids.has(id))),
        anchor: null,
      }),
  };
}
