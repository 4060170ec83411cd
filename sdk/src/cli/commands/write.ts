import type { BatchProgress } from '../../collection/progress.ts';
import { SvcError } from '../../errors.ts';
import type { Resource } from '../../resource.ts';
import { type Command, type Invocation, type Options, positional, text, UsageError } from '../command.ts';
import { parseFields, writableFields } from '../fields.ts';
import { type Io, printMessage, write } from '../io.ts';
import { readRecords } from '../lines.ts';
import { recordText, recordWriter } from '../output/format.ts';
import { countText, formatCount, type Noun, progressOf } from '../output/progress.ts';
import { type AnyCollection, formatOf, formatOption, nounOf, openCollection } from './read.ts';

const fieldNotes = (resource: Resource, verb: 'create' | 'update'): readonly string[] => [
  `Fields: ${writableFields(resource, verb).join(', ')}. FIELD=TEXT sets a string (or a number if the field is a number). FIELD:=JSON sets any other value, such as FIELD:=null.`,
  'With a test key, writes are dry runs: the service checks them and responds, but changes nothing.',
];

/** Opens a resource for writing. With a test key, prints that nothing will change. */
async function openForWriting(io: Io, property: string): Promise<AnyCollection> {
  const { mode, collection } = await openCollection(io, property);
  if (mode === 'test')
    await printMessage(io, 'svc: this is a test key, so this is a dry run: nothing is changed.');
  return collection;
}

export const createCommand = (property: string, resource: Resource): Command => ({
  path: [resource.name, 'create'],
  summary: `Create ${nounOf(property).plural}: one from fields, or many from a file`,
  positionals: ['[FIELD=VALUE…]'],
  options: {
    file: {
      type: 'string',
      short: 'f',
      value: 'FILE',
      description: 'Create every record of this NDJSON file. - reads standard input',
    },
    'idempotency-key': {
      type: 'string',
      value: 'KEY',
      description:
        'Makes the command safe to repeat: with the same key, a repeat within 24 hours creates nothing again',
    },
    ...formatOption,
  },
  notes: fieldNotes(resource, 'create'),
  async run(invocation) {
    const { io, positionals, values } = invocation;
    const file = text(values, 'file');
    const format = formatOf(values, io);
    const options = { idempotencyKey: text(values, 'idempotency-key'), signal: io.signal };
    if (file !== undefined) {
      if (positionals.length > 0) throw new UsageError('Give either fields or --file, not both.');
      const collection = await openForWriting(io, property);
      await createFromFile(
        invocation,
        collection,
        { ...nounOf(property), fields: resource.fields },
        file,
        options,
      );
      return;
    }
    const record = parseFields(resource, 'create', positionals);
    if (positionals.length === 0) throw new UsageError('Give fields as FIELD=VALUE, or a file with --file.');
    const created = await (await openForWriting(io, property)).create(record, options);
    await write(io.stdout, recordText(format, resource.fields, created, io.stdout));
  },
});

/**
 * Creates records from a file and prints them. On a terminal it prints them only if --format was given, because there
 * may be many.
 */
async function createFromFile(
  { io, values }: Invocation,
  collection: AnyCollection,
  resource: Noun & Pick<Resource, 'fields'>,
  file: string,
  options: object,
): Promise<void> {
  const shown = io.stdout.isTTY !== true || values['format'] !== undefined;
  const writer = recordWriter(formatOf(values, io), resource.fields, io.stdout);
  const progress = progressOf(io, resource, shown ? io.stdout : undefined);
  let created = 0;
  let unfinished: BatchProgress | undefined;
  try {
    for await (const records of collection.createBatches(readRecords(io, file), options)) {
      created += records.length;
      progress.add(records.length);
      if (shown) await write(io.stdout, writer.page(records));
    }
    if (shown) await write(io.stdout, writer.end());
  } catch (error) {
    unfinished = error instanceof SvcError ? error.progress : undefined;
    throw error;
  } finally {
    progress.end();
    await printMessage(io, `svc: created ${countText(created, resource)}.`);
    if (unfinished !== undefined) await explainHowToContinue(io, unfinished);
  }
}

async function explainHowToContinue(
  io: Io,
  { created, unknown, idempotencyKey }: BatchProgress,
): Promise<void> {
  if (unknown > 0)
    await printMessage(io, `svc: the response for ${formatCount(unknown)} more was lost. They may exist.`);
  if (created + unknown === 0) return;
  await printMessage(
    io,
    `svc: to create only the rest, repeat the command with --idempotency-key ${idempotencyKey} within 24 hours.`,
  );
}

const ifMatchOption = {
  'if-match': {
    type: 'string',
    value: 'ETAG',
    description: 'Fail if the ETag of the record is no longer this one',
  },
} as const satisfies Options;

export const updateCommand = (property: string, resource: Resource): Command => ({
  path: [resource.name, 'update'],
  summary: `Change fields of one ${resource.singular}`,
  positionals: ['ID', 'FIELD=VALUE…'],
  options: { ...ifMatchOption, ...formatOption },
  notes: fieldNotes(resource, 'update'),
  async run(invocation) {
    const { io, positionals, values } = invocation;
    const id = positional(invocation, 0, 'ID');
    if (positionals.length === 1) throw new UsageError('Give the fields to change as FIELD=VALUE.');
    const change = parseFields(resource, 'update', positionals.slice(1));
    const format = formatOf(values, io);
    const collection = await openForWriting(io, property);
    const record = await collection.update(id, change, {
      ifMatch: text(values, 'if-match'),
      signal: io.signal,
    });
    await write(io.stdout, recordText(format, resource.fields, record, io.stdout));
  },
});

export const deleteCommand = (property: string, resource: Resource): Command => ({
  path: [resource.name, 'delete'],
  summary: `Delete one ${resource.singular}`,
  positionals: ['ID'],
  options: ifMatchOption,
  async run(invocation) {
    const { io, values } = invocation;
    const id = positional(invocation, 0, 'ID');
    const collection = await openForWriting(io, property);
    await collection.delete(id, { ifMatch: text(values, 'if-match'), signal: io.signal });
    await printMessage(io, `svc: deleted ${id}.`);
  },
});
