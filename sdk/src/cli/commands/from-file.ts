import { newIdempotencyKey } from '../../collection/idempotency.ts';
import { BATCH_MAX_RECORDS } from '../../contract/index.ts';
import { SvcApiError, SvcError } from '../../errors.ts';
import { type Invocation, UsageError } from '../command.ts';
import { FileUnfinished, SomeRefused } from '../exit-code.ts';
import { writableFields } from '../fields.ts';
import { BrokenPipe, type Io, printMessage, write } from '../io.ts';
import { BrokenRecord, placeOf, readRecords, requireReadable } from '../lines.ts';
import { outputOf } from '../output/options.ts';
import { countText, formatCount, progressOf } from '../output/progress.ts';
import type { AnyRecord, RecordWriter } from '../output/record.ts';
import { batchesOf, type FileWork, type Target, targetsOf } from './targets.ts';

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

/**
 * Creates the records of a file in batches and prints them. If it fails or is interrupted, prints how to continue. Default
 * of the idempotency key: a new one.
 */
export async function createFromFile(
  work: FileWork,
  idempotencyKey: string = newIdempotencyKey(),
): Promise<void> {
  const { invocation, collection, resource, file } = work;
  const { io, values } = invocation;
  const writer = shownRecords(work);
  const progress = progressOf(io, resource, writer === undefined ? undefined : io.stdout);
  const columns = writableFields(resource, 'create');
  let created = 0;
  /** Where the records are in the file that are read and not created. A batch begins with the first. */
  const places: string[] = [];
  async function* source() {
    for await (const each of readRecords(io, values, { file, fields: resource.fields, columns })) {
      places.push(placeOf(each));
      yield each.record;
    }
  }
  let unfinished: Unfinished | undefined;
  try {
    for await (const records of collection.createBatches(source(), { idempotencyKey, signal: io.signal })) {
      created += records.length;
      places.splice(0, records.length);
      progress.add(records.length);
      await write(io.stdout, writer?.page(records) ?? '');
    }
    await write(io.stdout, writer?.end() ?? '');
  } catch (error) {
    if (error instanceof SvcApiError) error.message = withPlaces(error.message, places);
    if (error instanceof SvcError && error.progress !== undefined) {
      const { unknown } = error.progress;
      unfinished = { unknown, problem: `the response for ${formatCount(unknown)} more was lost. They` };
    } else if (io.signal.aborted) {
      // The batch that was being sent, unless all that was read is created.
      const unknown = Math.min(places.length, BATCH_MAX_RECORDS);
      unfinished = { unknown, problem: `a batch was not finished. Up to ${formatCount(unknown)} more` };
    }
    throw endingOf(io, error);
  } finally {
    progress.end();
    await printMessage(io, `svc: created ${countText(created, resource)}.`);
    if (unfinished !== undefined && unfinished.unknown > 0)
      await printMessage(io, `svc: ${unfinished.problem} may exist.`);
    if (unfinished !== undefined && created + unfinished.unknown > 0)
      await printMessage(
        io,
        `svc: to create only the rest, repeat the command with --idempotency-key ${idempotencyKey} within 24 hours.`,
      );
  }
}

/** The error of a command that ends within a file. A reader that ends, such as `head`, is a failure then. */
const endingOf = ({ signal }: Io, error: unknown): unknown =>
  [error, signal.reason].some((each) => each instanceof BrokenPipe)
    ? new FileUnfinished('The output was closed before the end of the file.', { cause: error })
    : error;

/** The message of a refused batch, with the place of each record that it names. */
const withPlaces = (message: string, places: readonly string[]): string =>
  message.replace(/\/data\/(\d+)/g, (pointer, index) => `${places[Number(index)] ?? ''}, ${pointer}`);

/** A creation that ended early. */
interface Unfinished {
  /** Number of records that may exist in addition to those that were returned. */
  readonly unknown: number;
  /** Why they may exist: the beginning of a sentence. */
  readonly problem: string;
}

/** Refusals of one record. After another failure, the next record would fail too. */
const REFUSALS: readonly number[] = [400, 404, 409, 412, 422];

/** A 403 is one if its message begins with the JSON pointer of a field: the key may write other records. */
const isRefusal = (error: unknown): error is SvcApiError =>
  error instanceof SvcApiError &&
  (REFUSALS.includes(error.status) || (error.code === 'insufficient_scope' && error.message.startsWith('/')));

/** What a command sends for the records of a file. */
interface FileChange {
  /** For one record. */
  one(id: string, fields: AnyRecord): Promise<AnyRecord | undefined>;
  /** For several records: the service changes all of them or none. */
  many(records: readonly AnyRecord[]): Promise<readonly AnyRecord[]>;
}

/**
 * Changes or deletes the records of a file in batches, and prints what the service returns. A batch that the service refuses
 * is divided until the refused records are found: they are reported, and the others are changed. Throws {@link SomeRefused}
 * in the end if there was one.
 */
export async function changeFromFile(
  work: FileWork & { readonly done: 'updated' | 'deleted' },
  { one, many }: FileChange,
): Promise<void> {
  const { invocation, resource, done } = work;
  const { io } = invocation;
  const writer = done === 'updated' ? shownRecords(work) : undefined;
  const progress = progressOf(io, resource, writer === undefined ? undefined : io.stdout);
  let [changed, refused] = [0, 0];
  let sending: Target | undefined;
  let broken: BrokenRecord | undefined;
  const send = async (targets: readonly Target[]): Promise<void> => {
    [sending] = targets;
    const [target, second] = targets;
    if (target === undefined) return;
    try {
      const results =
        second === undefined
          ? [await one(target.id, withoutId(target))]
          : await many(targets.map(({ record }) => record));
      changed += targets.length;
      progress.add(targets.length);
      const shown = results.filter((result) => result !== undefined);
      if (shown.length > 0) await write(io.stdout, writer?.page(shown) ?? '');
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (second !== undefined) {
        const half = Math.ceil(targets.length / 2);
        await send(targets.slice(0, half));
        return send(targets.slice(half));
      }
      refused += 1;
      await printMessage(io, `svc: ${placeOf(target)}, ${target.id}: ${error.code}: ${error.message}`);
    }
  };
  try {
    for await (const batch of batchesOf(targetsOf(work))) {
      await send(batch);
      sending = undefined;
    }
    await write(io.stdout, writer?.end() ?? '');
  } catch (error) {
    if (error instanceof BrokenRecord) broken = error;
    throw endingOf(io, error);
  } finally {
    progress.end();
    await printMessage(io, `svc: ${done} ${countText(changed, resource)}.`);
    if (sending !== undefined && changed + refused > 0)
      await printMessage(
        io,
        `svc: to continue, repeat the command with --from-line ${sending.line}. Some records of this batch may be ${done} already.`,
      );
    if (broken !== undefined && changed + refused > 0)
      await printMessage(
        io,
        `svc: to continue, correct ${placeOf(broken.place)} and repeat the command with --from-line ${broken.place.line}, or skip it with --from-line ${broken.place.line + 1}.`,
      );
  }
  if (refused > 0) throw new SomeRefused(`The service refused ${countText(refused, resource)}.`);
}

const withoutId = ({ record: { id: _, ...fields } }: Target): AnyRecord => fields;

/**
 * Checks a command with --file before it asks or prints anything. Throws {@link UsageError} if it has arguments or one of
 * these options, which are for one record, and {@link SvcError} if the file cannot be read.
 */
export async function checkFile(
  { positionals, values }: Invocation,
  file: string,
  options: readonly string[] = [],
): Promise<void> {
  if (positionals.length > 0) throw new UsageError('Give either arguments or --file, not both.');
  const found = options.find((name) => values[name] !== undefined);
  if (found !== undefined) throw new UsageError(`Use either --${found} or --file, not both.`);
  await requireReadable(values, file);
}
