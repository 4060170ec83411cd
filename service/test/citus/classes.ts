/**
 * What a column is equal to. `one`: one parameter or constant. `many`: one of several values, such as those of an array.
 * `none`: nothing that the statement names.
 */
export type Bound = { readonly kind: 'one'; readonly value: string } | { readonly kind: 'many' | 'none' };

/** Classes of columns and parameters that the conditions of a statement make equal. */
export interface Classes {
  /** A new column. */
  column(): number;
  /** A parameter, or a constant, by its text. */
  value(text: string): number;
  /** A column with several values that the statement names. */
  several(): number;
  equate(a: number, b: number): void;
  /** A column that is equal to one of these, which it depends on. */
  either(columns: readonly number[]): number;
  boundOf(column: number): Bound;
}

export function createClasses(): Classes {
  const parents: number[] = [];
  const values = new Map<string, number>();
  const several = new Set<number>();
  const choices = new Map<number, readonly number[]>();

  const column = (): number => parents.push(parents.length) - 1;
  const rootOf = (id: number): number => {
    let root = id;
    while (parents[root] !== root) root = parents[root] ?? root;
    return root;
  };
  const boundOf = (id: number, open: ReadonlySet<number> = new Set()): Bound => {
    const root = rootOf(id);
    if (open.has(root)) return { kind: 'none' };
    for (const [value, node] of values) if (rootOf(node) === root) return { kind: 'one', value };
    for (const node of several) if (rootOf(node) === root) return { kind: 'many' };
    for (const [node, columns] of choices) {
      if (rootOf(node) !== root) continue;
      const bounds = columns.map((each) => boundOf(each, new Set([...open, root])));
      if (bounds.some(({ kind }) => kind === 'none')) continue;
      const [first] = bounds;
      const same = bounds.every(
        (each) => each.kind === 'one' && first?.kind === 'one' && each.value === first.value,
      );
      return same && first !== undefined ? first : { kind: 'many' };
    }
    return { kind: 'none' };
  };

  return {
    column,
    value(text) {
      const node = values.get(text) ?? column();
      values.set(text, node);
      return node;
    },
    several() {
      const node = column();
      several.add(node);
      return node;
    },
    equate(a, b) {
      parents[rootOf(a)] = rootOf(b);
    },
    either(columns) {
      const node = column();
      choices.set(node, columns);
      return node;
    },
    boundOf: (id) => boundOf(id),
  };
}
