import type { ChangeStream } from '../../changes/stream.ts';
import type { Svc } from '../../client.ts';
import { CONTRACT, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, sortsOf } from '../../contract/index.ts';
import type { List } from '../../list/list.ts';
import { RESOURCES, type Resource, type Resources } from '../../resource.ts';
import type { Tail } from '../../tail/tail.ts';
import type { Count } from '../../wire.ts';
import { type Command, flag, integer, positional, text, UsageError } from '../command.ts';
import { write } from '../io.ts';
import { valueText } from '../output/format.ts';
import { outputOf, outputOptions } from '../output/options.ts';
import { type Noun, progressOf } from '../output/progress.ts';
import type { AnyRecord } from '../output/record.ts';
import { openClient, type Session } from '../session.ts';
import { queryOf, queryOptions } from './filters.ts';

/** The methods of a collection, without the types of one resource: a command works with every resource. */
export interface AnyCollection {
  list(options: object): List<AnyRecord & { readonly id: string }>;
  tail(options: object): Tail<AnyRecord & { readonly id: string }>;
  stream(options: object): ChangeStream;
  get(id: string, options: object): Promise<AnyRecord>;
  count(options: object): Promise<Count>;
  create(record: object, options: object): Promise<AnyRecord>;
  createBatches(records: AsyncIterable<object>, options: object): AsyncIterable<readonly AnyRecord[]>;
  update(id: string, change: object, options: object): Promise<AnyRecord>;
  updateMany(changes: readonly object[], options: object): Promise<readonly AnyRecord[]>;
  delete(id: string, options: object): Promise<void>;
  deleteMany(ids: readonly string[], options: object): Promise<void>;
}

/** Opens the collection of a resource. A command exists only if the collection has its method. */
export async function openCollection(
  session: Session,
  property: string,
): Promise<{ mode: Svc['mode']; collection: AnyCollection }> {
  const svc = await openClient(session);
  return { mode: svc.mode, collection: svc[property as keyof Resources] as unknown as AnyCollection };
}

/** The name of a resource's records for people, such as `content items`. */
export const nounOf = (property: string): Noun => CONTRACT[property as keyof Resources];

export function listCommand(property: string, resource: Resource): Command {
  const sorts = sortsOf(resource);
  return {
    path: [resource.name, 'list'],
    summary: `List ${nounOf(property).plural}, newest first${sorts.length > 0 ? ' by default' : ''}`,
    options: {
      limit: {
        type: 'string',
        short: 'n',
        value: 'N',
        description: `Largest number of records. Default: ${PAGE_LIMIT_DEFAULT}`,
      },
      all: { type: 'boolean', short: 'a', description: 'List every record' },
      ...(sorts.length > 0
        ? {
            sort: {
              type: 'string',
              value: 'SORT',
              choices: sorts,
              description: 'Order of the records. Default: created-descending',
            } as const,
          }
        : {}),
      reverse: { type: 'boolean', description: 'List the records in reverse order' },
      ...queryOptions(resource),
      ...outputOptions(resource.fields),
    },
    async run(invocation) {
      const { io, values } = invocation;
      if (flag(values, 'all') && values['limit'] !== undefined)
        throw new UsageError('Use either --all or --limit, not both.');
      const max = flag(values, 'all')
        ? Number.POSITIVE_INFINITY
        : (integer(values, 'limit', 1) ?? PAGE_LIMIT_DEFAULT);
      const { writer, fields } = outputOf(invocation, resource.fields);
      const { collection } = await openCollection(invocation, property);
      const list = collection.list({
        ...queryOf(resource, values),
        ...(sorts.length > 0 ? { sort: text(values, 'sort') } : {}),
        fields,
        limit: Math.min(max, PAGE_LIMIT_MAX),
        signal: io.signal,
      });
      const progress = progressOf(io, nounOf(property), io.stdout);
      try {
        await writeRecords(flag(values, 'reverse') ? list.before() : list, max, async (records) => {
          progress.add(records.length);
          await write(io.stdout, writer.page(records));
        });
        await write(io.stdout, writer.end());
      } finally {
        progress.end();
      }
    },
  };
}

/** Writes at most `max` records of a list, in pages. */
async function writeRecords<T extends { readonly id: string }>(
  list: List<T>,
  max: number,
  writePage: (records: readonly T[]) => Promise<void>,
): Promise<void> {
  let records: T[] = [];
  let left = max;
  for await (const record of list) {
    records.push(record);
    left -= 1;
    if (records.length < PAGE_LIMIT_MAX && left > 0) continue;
    await writePage(records);
    if (left === 0) return;
    records = [];
  }
  await writePage(records);
}

export const getCommand = (property: string, resource: Resource): Command => ({
  path: [resource.name, 'get'],
  summary: `Show one ${resource.singular}`,
  positionals: ['ID'],
  options: outputOptions(resource.fields),
  async run(invocation) {
    const { io } = invocation;
    const id = positional(invocation, 0, 'ID');
    const output = outputOf(invocation, resource.fields);
    const { collection } = await openCollection(invocation, property);
    const record = await collection.get(id, { fields: output.fields, signal: io.signal });
    await write(io.stdout, output.text(record));
  },
});

export const countCommand = (property: string, resource: Resource): Command => ({
  path: [resource.name, 'count'],
  summary: `Count ${nounOf(property).plural}`,
  options: {
    approximate: { type: 'boolean', description: 'Ask for the approximate count, which is exact too' },
    json: {
      type: 'boolean',
      description: 'Print a JSON object, which also says whether the count is approximate',
    },
  },
  async run(invocation) {
    const { io, values } = invocation;
    const { collection } = await openCollection(invocation, property);
    const count = await collection.count({ approximate: flag(values, 'approximate'), signal: io.signal });
    await write(io.stdout, flag(values, 'json') ? valueText(count, io.stdout) : `${count.count}\n`);
  },
});

/** Every resource with its property name in the client. */
export const RESOURCE_ENTRIES: readonly (readonly [string, Resource])[] = Object.entries(RESOURCES);
