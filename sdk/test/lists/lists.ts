import { type List, RESOURCES, type Svc, type Tail } from '@svc/sdk';

/** The client's methods without the types of one resource, for tests that run with every list. */

export type AnyItem = { readonly id: string };

export interface AnyCollection {
  list(options?: object): List<AnyItem>;
  tail(options?: object): Tail<AnyItem>;
  get(id: string): Promise<AnyItem>;
}

/** The methods of the resource with this path segment, such as `api-keys`. */
export function collectionOf(svc: Svc, name: string): AnyCollection {
  const found = Object.entries(RESOURCES).find(([, resource]) => resource.name === name);
  if (found === undefined) throw new Error(`the client has no ${name}`);
  return svc[found[0] as keyof typeof RESOURCES] as AnyCollection;
}

/** All items of an iteration. */
export async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export const idsOf = async (items: AsyncIterable<AnyItem>): Promise<readonly string[]> =>
  (await collect(items)).map(({ id }) => id);
