/** Helpers for the syntax tree of libpg-query. */

/** A node or a part of one. Absent fields are undefined. */
export type Tree = Readonly<Record<string, unknown>>;

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The body of a node of this type. Undefined: the node has another type. */
export function of(node: unknown, type: string): Tree | undefined {
  const body = isTree(node) ? node[type] : undefined;
  return isTree(body) ? body : undefined;
}

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The strings of a list of nodes, such as the parts of a name. */
export const names = (value: unknown): readonly string[] =>
  list(value).map((part) => text(of(part, 'String')?.['sval']));

/** The last part of a name. */
export const lastName = (value: unknown): string => names(value).at(-1) ?? '';

/** Calls `visit` for each node below `value`. It does not descend where `visit` returns false. */
export function walk(value: unknown, visit: (type: string, body: Tree) => boolean): void {
  if (Array.isArray(value)) for (const each of value) walk(each, visit);
  else if (isTree(value))
    for (const [key, child] of Object.entries(value)) {
      const isNode = /^[A-Z]/.test(key) && isTree(child);
      if (!isNode || visit(key, child)) walk(child, visit);
    }
}

/** Whether a node below `value` meets the condition. */
export function some(value: unknown, meets: (type: string, body: Tree) => boolean): boolean {
  let found = false;
  walk(value, (type, body) => {
    found ||= meets(type, body);
    return !found;
  });
  return found;
}
