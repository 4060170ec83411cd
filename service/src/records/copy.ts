import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { type Micros, timeOfMicros } from '@svc/exact-times/micros';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { preparedStatements, statements } from '../database/statement.ts';
import { columnName, type Resource } from '../resources/define.ts';
import { creationOf } from './changes.ts';
import { type ChangeNote, countsOf, noteOf } from './counters.ts';
import { type RecordInput, type Row, rowOf, type Value } from './row.ts';

/** The records of a resource in a workspace. */
export interface Records {
  readonly workspaceId: string;
  readonly resource: Resource;
}

/** An input that may be written. */
export interface Accepted {
  /** Index of the input. */
  readonly index: number;
  readonly values: RecordInput;
  /** Hexadecimal. Undefined: the table has no column `id_order`. */
  readonly order?: string | undefined;
}

export interface Inserted {
  /** Index of the input. */
  readonly index: number;
  readonly id: string;
  readonly createdAt: string;
  /** The record's wire JSON. */
  readonly doc: string;
}

/** Text that is sent to PostgreSQL at once. */
const COPY_CHUNK_CHARACTERS = 64 * 1024;
/** Inputs that one pass writes one after the other. */
const RUN = 4;
/** Of so many runs, the first pass writes one more than the second. */
const PASSES_PERIOD = 19;

/** Writes accepted inputs with COPY, each with its timestamp. The caller notes the result ({@link noteOfCreations}). */
export async function copyAccepted(
  client: pg.ClientBase,
  { workspaceId, resource }: Records,
  accepted: readonly Accepted[],
  first: Micros,
): Promise<readonly Inserted[]> {
  const inserted = new Array<Inserted>(accepted.length);
  // PostgreSQL reads one chunk while the next one is created.
  function* chunks(): Generator<string> {
    let chunk = '';
    for (const [i, { index, values, order }] of inTwoPasses(accepted)) {
      const row = rowOf(resource, values, timeOfMicros(first + index));
      inserted[i] = { index, id: row.id, createdAt: row.createdAt, doc: row.doc };
      chunk += copyLine(workspaceId, resource, row, order);
      if (chunk.length < COPY_CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = '';
    }
    if (chunk !== '') yield chunk;
  }
  if (accepted.length > 0) await copyIn(client, resource, chunks());
  return inserted;
}

/**
 * First 10 of 19 runs of inputs, then the others, each input with its position. PostgreSQL splits an index page in halves if
 * it inserts ascending keys between others; the second pass fills these halves. With longer runs, it would split some of
 * them again. With shorter ones, the rows of a page of the list would be on more pages of the table (docs/decisions/0021).
 */
function* inTwoPasses(accepted: readonly Accepted[]): Generator<readonly [number, Accepted]> {
  for (const pass of [0, 1]) {
    for (const [i, input] of accepted.entries())
      if ((Math.floor(i / RUN) % PASSES_PERIOD) % 2 === pass) yield [i, input];
  }
}

const insertRecord = preparedStatements('insert_record', 'request');

/** The result of writing one accepted input, and the start of it: an INSERT, since COPY takes two round trips. */
export function insertion(
  client: pg.ClientBase,
  { workspaceId, resource }: Records,
  { index, values, order }: Accepted,
  first: Micros,
): { readonly inserted: Inserted; readonly insert: () => Promise<unknown> } {
  const { relation } = resource.list;
  const columns = columnsOf(resource);
  const row = rowOf(resource, values, timeOfMicros(first + index));
  const insert = insertRecord(
    `insert_${relation}`,
    `insert into ${relation} (${columns.join(', ')}) values (${columns.map((_, i) => `$${i + 1}`).join(', ')})`,
  );
  const statement = insert(
    workspaceId,
    ...Object.values(row.values),
    ...('createdAt' in resource.fields ? [] : [row.createdAt]),
    row.doc,
    ...(order === undefined ? [] : [`\\x${order}`]),
  );
  const { id, createdAt, doc } = row;
  return { inserted: { index, id, createdAt, doc }, insert: () => client.query(statement) };
}

const copyRecords = statements('copy_records', 'bulk');

async function copyIn(client: pg.ClientBase, resource: Resource, chunks: Iterable<string>): Promise<void> {
  const { relation } = resource.list;
  const { text } = copyRecords(
    `copy_${relation}`,
    `copy ${relation} (${columnsOf(resource).join(', ')}) from stdin`,
  )();
  const copy = client.query(copyFrom(text));
  let refused = false;
  const done = finished(copy).catch((error: unknown) => {
    refused = true;
    throw error;
  });
  try {
    let held = '';
    for (const chunk of chunks) {
      if (held !== '' && !copy.write(held)) await Promise.race([once(copy, 'drain'), done]);
      if (refused) break;
      held = chunk;
    }
    if (held === '') copy.end();
    else copy.end(held);
  } catch (error) {
    copy.destroy(error as Error);
  }
  await done;
}

/** The columns of a resource's table in the order of {@link copyLine} and of {@link insertion}. */
const columnsOf = (resource: Resource): readonly string[] => [
  'workspace_id',
  ...Object.keys(resource.fields).map(columnName),
  ...('createdAt' in resource.fields ? [] : ['created_at']),
  'doc',
  ...(resource.list.shortKeys ? ['id_order'] : []),
];

/** A row in the text format of COPY, with the line break. */
function copyLine(workspaceId: string, resource: Resource, row: Row, order: string | undefined): string {
  let line = workspaceId;
  for (const name in row.values) line += `\t${copyValue(row.values[name] ?? null)}`;
  if (!('createdAt' in resource.fields)) line += `\t${row.createdAt}`;
  line += `\t${copyValue(row.doc)}`;
  return order === undefined ? `${line}\n` : `${line}\t\\\\x${order}\n`;
}

const SPECIAL = /[\\\n\r\t]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function copyValue(value: Value): string {
  if (value === null) return '\\N';
  if (typeof value === 'number') return String(value);
  return SPECIAL.test(value)
    ? value.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character)
    : value;
}

/** The note of the creation of accepted inputs. */
export function noteOfCreations(
  resource: Resource,
  accepted: readonly Accepted[],
  inserted: readonly Inserted[],
  first: Micros,
): ChangeNote {
  const changes = inserted.map(({ index, id, doc }, i) =>
    creationOf(resource, { at: first + index, id, doc, values: accepted[i]?.values ?? {} }),
  );
  const isEarlier = (i: number): boolean => accepted[i]?.values['createdAt'] != null;
  const earlier = inserted.flatMap(({ id }, i) => (resource.list.searched && isEarlier(i) ? [id] : []));
  return noteOf(changes, countsOf(resource, accepted), earlier);
}
