import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Resource } from '../resources/define.ts';
import { columnsOf, copyLine, type Row } from './row.ts';

/** Text that is sent to PostgreSQL at once. */
const COPY_CHUNK_CHARACTERS = 64 * 1024;

/**
 * COPY, for one row as for thousands: measured, an INSERT of one row is 0.05 ms faster, and from 10 rows on none is.
 * Rows are made while PostgreSQL takes in those before them.
 */
export async function copyRows(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  rows: Iterable<Row>,
): Promise<void> {
  const columns = columnsOf(resource).join(', ');
  const copy = client.query(copyFrom(`copy ${resource.list.relation} (${columns}) from stdin`));
  let refused = false;
  const done = finished(copy).catch((error: unknown) => {
    refused = true;
    throw error;
  });
  try {
    let held = '';
    for (const chunk of copyChunks(workspaceId, resource, rows)) {
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

function* copyChunks(workspaceId: string, resource: Resource, rows: Iterable<Row>): Generator<string> {
  let chunk = '';
  for (const row of rows) {
    chunk += copyLine(workspaceId, resource, row);
    if (chunk.length < COPY_CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
