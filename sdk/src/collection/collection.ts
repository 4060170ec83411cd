import { changeListOf, changeStreamOf, changeTailOf } from '../changes/collection.ts';
import { checkedObject } from '../checked-options.ts';
import type { Resource } from '../resource.ts';
import { createBatches, createMany } from './create-batches.ts';
import { exportRecords } from './export.ts';
import { fieldsText } from './query.ts';
import { type Context, countRecords, getRecord, listOf, tailOf } from './read.ts';
import type { Collection } from './types.ts';
import { createRecord, deleteRecord, updateRecord } from './write.ts';
import { deleteMany, updateMany, upsertRecord } from './write-many.ts';

/** The methods of `select`: those that read, with the option `fields`. */
function selectionOf(context: Context, ...fields: readonly string[]): object {
  const { positions = false, writes = [] } = context.resource;
  fieldsText(fields);
  const chosen = (options?: object): object => ({ ...checkedObject(options), fields });
  return Object.freeze({
    list: (options?: object) => (positions ? changeListOf : listOf)(context, chosen(options)),
    get: (id: string, options?: object) => getRecord(context, id, chosen(options)),
    ...(writes.includes('create')
      ? { export: (options?: object) => exportRecords(context, chosen(options)) }
      : {}),
  });
}

/** Creates the methods of a resource, derived from its declaration. */
export function collectionOf<R extends Resource>(context: Context & { readonly resource: R }): Collection<R> {
  const { counted = false, positions = false, writes = [] } = context.resource;
  type Rest<F> = F extends (context: Context, ...rest: infer A) => infer B ? (...rest: A) => B : never;
  const bind = <F extends (context: Context, ...rest: never[]) => unknown>(method: F): Rest<F> =>
    ((...rest: never[]) => method(context, ...rest)) as Rest<F>;
  const methods = {
    list: positions ? bind(changeListOf) : bind(listOf),
    get: bind(getRecord),
    select: bind(selectionOf),
    ...(positions ? { tail: bind(changeTailOf), stream: bind(changeStreamOf) } : { tail: bind(tailOf) }),
    ...(counted ? { count: bind(countRecords) } : {}),
    ...(writes.includes('create')
      ? {
          create: bind(createRecord),
          createMany: bind(createMany),
          createBatches: bind(createBatches),
          upsert: bind(upsertRecord),
          export: bind(exportRecords),
        }
      : {}),
    ...(writes.includes('update') ? { update: bind(updateRecord), updateMany: bind(updateMany) } : {}),
    ...(writes.includes('delete') ? { delete: bind(deleteRecord), deleteMany: bind(deleteMany) } : {}),
  };
  // The type and this object are both derived from the declaration. A test compares the two.
  return Object.freeze(methods) as unknown as Collection<R>;
}
