/** The part of an item that a client asks for with the parameter `fields`. */

/** The names of the chosen fields. It always has `id`, which tells the items of a list apart. */
export type Fields = ReadonlySet<string>;

/** The chosen fields of an item, in the order of the item. */
export function selectFields(doc: string, fields: Fields): string {
  const chosen = Object.entries<unknown>(JSON.parse(doc)).filter(([name]) => fields.has(name));
  return JSON.stringify(Object.fromEntries(chosen));
}
