import { SvcError } from '../../errors.ts';
import type { Resource } from '../../resource.ts';
import { type Command, flag, type Options, positional, text, UsageError } from '../command.ts';
import { parseFields, writableFields } from '../fields.ts';
import { printMessage, write } from '../io.ts';
import { fileOptions, nameOf } from '../lines.ts';
import { outputOf, outputOptions } from '../output/options.ts';
import { confirmed } from '../prompt.ts';
import type { Session } from '../session.ts';
import { changeFromFile, checkFile, createFromFile } from './from-file.ts';
import { type AnyCollection, nounOf, openCollection } from './read.ts';

const fieldNotes = (resource: Resource, verb: 'create' | 'update'): readonly string[] => [
  `Fields: ${writableFields(resource, verb).join(', ')}. FIELD=TEXT sets a string (or a number if the field is a number). FIELD:=JSON sets any other value, such as FIELD:=null.`,
  DRY_RUN_NOTE,
];

const DRY_RUN_NOTE =
  'With a test key, writes are dry runs: the service checks them and responds, but changes nothing.';

const EMPTY_CELLS = 'An empty cell of a CSV file has no value';

const IN_BATCHES =
  'The records of a file are sent in batches of up to 1,000, and each batch counts as one request. A batch that the service refuses is divided until the refused records are found. They are reported, and the others follow; the exit code is then 6.';

const fromLineOption: Options = {
  'from-line': {
    type: 'string',
    value: 'N',
    description:
      'With --file: begin at this line, or at this item of a JSON array, to continue after a failure. Default: 1',
  },
};

/**
 * Opens a resource for writing. With a test key, prints that nothing will change. With a live key, asks the question, if
 * there is one, and throws {@link SvcError} if the answer is no.
 */
async function openForWriting(session: Session, property: string, question?: string): Promise<AnyCollection> {
  const { mode, collection } = await openCollection(session, property);
  if (mode === 'test')
    await printMessage(session.io, 'svc: this is a test key, so this is a dry run: nothing is changed.');
  else if (question !== undefined && !(await confirmed(session.io, question)))
    throw new SvcError('Nothing is deleted.');
  return collection;
}

export const createCommand = (property: string, resource: Resource): Command => ({
  path: [resource.name, 'create'],
  summary: `Create ${nounOf(property).plural}: one from fields, or many from a file`,
  positionals: ['[FIELD=VALUE…]'],
  options: {
    ...fileOptions('Create every record'),
    'idempotency-key': {
      type: 'string',
      value: 'KEY',
      description:
        'Makes the command safe to repeat: with the same key, a repeat within 24 hours creates nothing again',
    },
    ...outputOptions(resource.fields),
  },
  notes: [...fieldNotes(resource, 'create'), `${EMPTY_CELLS}: the field is left out.`],
  async run(invocation) {
    const { io, positionals, values } = invocation;
    const file = text(values, 'file');
    const output = outputOf(invocation, resource.fields);
    const idempotencyKey = text(values, 'idempotency-key');
    if (file !== undefined) {
      await checkFile(invocation, file);
      const collection = await openForWriting(invocation, property);
      return createFromFile(
        { invocation, collection, resource: { ...nounOf(property), ...resource }, file },
        idempotencyKey,
      );
    }
    const record = parseFields(resource, 'create', positionals);
    if (positionals.length === 0) throw new UsageError('Give fields as FIELD=VALUE, or a file with --file.');
    const collection = await openForWriting(invocation, property);
    const created = await collection.create(record, { idempotencyKey, signal: io.signal });
    await write(io.stdout, output.text(created));
  },
});

const ifMatchOption = {
  'if-match': {
    type: 'string',
    value: 'ETAG',
    description: 'Fail if the ETag of the record is no longer this one',
  },
} as const satisfies Options;

export const updateCommand = (property: string, resource: Resource): Command => ({
  path: [resource.name, 'update'],
  summary: `Change fields of one ${resource.singular}, or of many from a file`,
  positionals: ['[ID]', '[FIELD=VALUE…]'],
  options: {
    ...ifMatchOption,
    ...fileOptions('Change every record'),
    ...fromLineOption,
    ...outputOptions(resource.fields),
  },
  notes: [
    ...fieldNotes(resource, 'update'),
    `In a file, each record has its id and the fields to change. ${EMPTY_CELLS}: the field stays as it is. ${IN_BATCHES}`,
  ],
  async run(invocation) {
    const { io, positionals, values } = invocation;
    const file = text(values, 'file');
    const output = outputOf(invocation, resource.fields);
    if (file !== undefined) {
      await checkFile(invocation, file, ['if-match']);
      const collection = await openForWriting(invocation, property);
      return changeFromFile(
        { invocation, collection, resource: { ...nounOf(property), ...resource }, file, done: 'updated' },
        {
          one: (id, fields) => collection.update(id, fields, { signal: io.signal }),
          many: (changes) => collection.updateMany(changes, { signal: io.signal }),
        },
      );
    }
    const id = positional(invocation, 0, 'ID');
    if (id.includes('='))
      throw new UsageError(`ID is missing: svc ${resource.name} update ID ${positionals.join(' ')}`);
    if (positionals.length === 1) throw new UsageError('Give the fields to change as FIELD=VALUE.');
    const change = parseFields(resource, 'update', positionals.slice(1));
    const collection = await openForWriting(invocation, property);
    const record = await collection.update(id, change, {
      ifMatch: text(values, 'if-match'),
      signal: io.signal,
    });
    await write(io.stdout, output.text(record));
  },
});

export const deleteCommand = (property: string, resource: Resource): Command => ({
  path: [resource.name, 'delete'],
  summary: `Delete one ${resource.singular}, or many from a file`,
  positionals: ['[ID]'],
  options: {
    ...ifMatchOption,
    ...fileOptions('Delete every record'),
    ...fromLineOption,
    yes: { type: 'boolean', short: 'y', description: 'Do not ask before the deletion' },
  },
  notes: [
    `A file has at least the ids, as the output of svc ${resource.name} list does. ${IN_BATCHES}`,
    'On a terminal, the command asks before it deletes with a live key. In a script or a pipe, it never asks.',
    DRY_RUN_NOTE,
  ],
  async run(invocation) {
    const { io, values } = invocation;
    const file = text(values, 'file');
    const open = (what: string): Promise<AnyCollection> =>
      openForWriting(invocation, property, flag(values, 'yes') ? undefined : `Delete ${what}?`);
    if (file !== undefined) {
      await checkFile(invocation, file, ['if-match']);
      if (file === '-' && io.stdin.isTTY === true && !flag(values, 'yes'))
        throw new UsageError('Standard input cannot have both the records and an answer: add --yes.');
      const collection = await open(`every ${resource.singular} of ${nameOf(file)}`);
      return changeFromFile(
        { invocation, collection, resource: { ...nounOf(property), ...resource }, file, done: 'deleted' },
        {
          one: async (id) => {
            await collection.delete(id, { signal: io.signal });
            return undefined;
          },
          many: async (targets) => {
            await collection.deleteMany(
              targets.map(({ id }) => String(id)),
              { signal: io.signal },
            );
            return [];
          },
        },
      );
    }
    const id = positional(invocation, 0, 'ID');
    const collection = await open(`the ${resource.singular} ${id}`);
    await collection.delete(id, { ifMatch: text(values, 'if-match'), signal: io.signal });
    await printMessage(io, `svc: deleted ${id}.`);
  },
});
