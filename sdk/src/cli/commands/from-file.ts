import type { BatchProgress } from '../../collection/progress.ts';
import { SvcApiError, SvcError } from '../../errors.ts';
import type { Resource } from '../../resource.ts';
import { type Invocation, UsageError } from '../command.ts';
import { SomeRefused } from '../exit-code.ts';
import { writableFields } from '../fields.ts';
import { type Io, printMessage, write } from '../io.ts';
import { nameOf, readRecords } from '../lines.ts';
import { outputOf } from '../output/options.ts';
import { countText, formatCount, type Noun, progressOf } from '../output/progress.ts';
import type { AnyRecord, RecordWriter } from '../output/record.ts';
import type { AnyCollection } from './read.ts';

/** What a command does with the records of a file. */
export interface FileWork {
  readonly invocation: Invocation;
  readonly collection: AnyCollection;
  readonly resource: Noun & Resource;
  readonly file: string;
}

/**
 * The writer for the records that the service returns. On a terminal, they are printed only if it is asked how, because
 * there may be many.
 */
function shownRecords({ invocation, resource }: FileWork): RecordWriter | undefined {
  const { io, values } = invocation;
  const { writer } = outputOf(invocation, resource.fields);
  const asked = ['format', 'json', 'fields'].some((name) => values[name] !== undefined);
  return io.stdout.isTTY !== true || asked ? writer : undefined;
}

/** Creates the records of a file in batches and prints them. */
export async function createFromFile(work: FileWork, options: object): Promise<void> {
  const { invocation, collection, resource, file } = work;
  const { io, values } = invocation;
  const writer = shownRecords(work);
  const progress = progressOf(io, resource, writer === undefined ? undefined : io.stdout);
  const columns = writableFields(resource, 'create');
  async function* source() {
    for await (const { record } of readRecords(io, values, { file, fields: resource.fields, columns }))
      yield record;
  }
  let created = 0;
  let unfinished: BatchProgress | undefined;
  try {
    for await (const records of collection.createBatches(source(), options)) {
      created += records.length;
      progress.add(records.length);
      await write(io.stdout, writer?.page(records) ?? '');
    }
    await write(io.stdout, writer?.end() ?? '');
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

/** Refusals of one record. After another failure, the next record would fail too. */
const REFUSALS: readonly number[] = [400, 404, 409, 412, 422];

/**
 * Changes or deletes the records of a file, one after the other, and prints what the service returns. A record that the
 * service refuses is reported, and the next one follows. Throws {@link SomeRefused} in the end if there was one.
 */
export async function changeFromFile(
  work: FileWork & { readonly done: 'updated' | 'deleted' },
  change: (id: string, fields: AnyRecord) => Promise<AnyRecord | undefined>,
): Promise<void> {
  const { invocation, resource, file, done } = work;
  const { io, values } = invocation;
  const writer = done === 'updated' ? shownRecords(work) : undefined;
  const progress = progressOf(io, resource, writer === undefined ? undefined : io.stdout);
  const columns =
    done === 'updated' ? ['id', ...writableFields(resource, 'update')] : Object.keys(resource.fields);
  let [changed, refused] = [0, 0];
  try {
    for await (const { line, record } of readRecords(io, values, {
      file,
      fields: resource.fields,
      columns,
    })) {
      const { id, ...fields } = record;
      if (typeof id !== 'string' || id === '')
        throw new SvcError(`Line ${line} of ${nameOf(file)} has no id.`);
      try {
        const result = await change(id, fields);
        changed += 1;
        progress.add(1);
        if (result !== undefined) await write(io.stdout, writer?.page([result]) ?? '');
      } catch (error) {
        if (!(error instanceof SvcApiError) || !REFUSALS.includes(error.status)) throw error;
        refused += 1;
        await printMessage(io, `svc: line ${line}, ${id}: ${error.code}: ${error.message}`);
      }
    }
    await write(io.stdout, writer?.end() ?? '');
  } finally {
    progress.end();
    await printMessage(io, `svc: ${done} ${countText(changed, resource)}.`);
  }
  if (refused > 0) throw new SomeRefused(`The service refused ${countText(refused, resource)}.`);
}

/** Throws {@link UsageError} if a command with --file has one of these arguments or options, which are for one record. */
export function refuseWithFile({ positionals, values }: Invocation, options: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError('Give either arguments or --file, not both.');
  const found = options.find((name) => values[name] !== undefined);
  if (found !== undefined) throw new UsageError(`Use either --${found} or --file, not both.`);
}
