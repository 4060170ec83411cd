import { csvLine, withoutFormula } from '@svc/sdk/csv';
import { type CallOptions, call, send, throwUnreachable } from '../api/client.ts';
import { nextParam, type Page, type PageParam } from './pages.ts';

export const LIST_FORMATS = {
  csv: { type: 'text/csv;charset=utf-8', label: 'CSV' },
  ndjson: { type: 'application/x-ndjson;charset=utf-8', label: 'NDJSON' },
} as const;
export type ListFormat = keyof typeof LIST_FORMATS;

type Item = Readonly<Record<string, string | number | null>>;

export interface ListFileOptions {
  readonly path: string;
  /** The filters and the sort of the list. */
  readonly params: NonNullable<CallOptions['query']>;
  readonly format: ListFormat;
  /** The fields of the items, which are the columns of a CSV. */
  readonly fields: readonly string[];
}

/** A file that is read from the service. */
export interface ExportedFile {
  /** How much has been read so far: items of a list, or bytes of a response. */
  readonly count: number;
  /** Reads the file, or what is missing after a failure. Calls `onProgress` with each new `count`. Throws ApiFailure. */
  readonly read: (signal: AbortSignal, onProgress: (count: number) => void) => Promise<Blob>;
}

const PAGE_ITEMS = 100;
/** Text that the page holds before it gives it to the browser, which keeps large files on disk. */
const HELD_CHARACTERS = 1_000_000;
const HELD_BYTES = 1_000_000;

/**
 * The text of a file with all items of a list, in the order of the list. It reads page by page, so memory is bounded.
 * After a failure, the next call of `read` continues with the page that failed.
 */
export function listFile({ path, params, format, fields }: ListFileOptions): ExportedFile {
  const { type } = LIST_FORMATS[format];
  const textOf = format === 'csv' ? csvOf(fields) : ndjsonOf;
  let next: PageParam | undefined = { limit: PAGE_ITEMS };
  let file = new Blob([], { type });
  let held = format === 'csv' ? csvLine(fields) : '';
  let count = 0;
  const keep = (): void => {
    file = new Blob([file, held], { type });
    held = '';
  };
  return {
    get count() {
      return count;
    },
    read: async (signal, onProgress) => {
      while (next !== undefined) {
        const page: Page<Item> = await call<Page<Item>>(path, { query: { ...params, ...next }, signal });
        held += page.data.map(textOf).join('');
        count += page.data.length;
        next = nextParam(page, next);
        if (held.length > HELD_CHARACTERS) keep();
        onProgress(count);
      }
      keep();
      return file;
    },
  };
}

/** The file that one response of the service has. After a failure, the next call of `read` requests it again. */
export function responseFile(path: string, query: NonNullable<CallOptions['query']>): ExportedFile {
  let count = 0;
  return {
    get count() {
      return count;
    },
    read: async (signal, onProgress) => {
      count = 0;
      onProgress(0);
      const { body, headers } = await send(path, { query, signal });
      const type = headers.get('content-type') ?? '';
      let file = new Blob([], { type });
      let held: Uint8Array<ArrayBuffer>[] = [];
      let heldBytes = 0;
      const keep = (): void => {
        file = new Blob([file, ...held], { type });
        held = [];
        heldBytes = 0;
      };
      for await (const chunk of chunksOf(body)) {
        held.push(chunk);
        heldBytes += chunk.length;
        count += chunk.length;
        if (heldBytes > HELD_BYTES) keep();
        onProgress(count);
      }
      keep();
      return file;
    },
  };
}

/** The chunks of a body. Throws ApiFailure if the connection ends before the body does. */
async function* chunksOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader();
  for (;;) {
    // Safari cannot iterate over a stream.
    const next = await reader?.read().catch(throwUnreachable);
    if (next?.value === undefined) return;
    yield next.value;
  }
}

const ndjsonOf = (item: Item): string => `${JSON.stringify(item)}\n`;

/** Text that a client has sent, such as a title, must not become a formula in a spreadsheet. */
const csvOf =
  (fields: readonly string[]) =>
  (item: Item): string =>
    csvLine(
      fields.map((name) => {
        const value = item[name] ?? null;
        return typeof value === 'string' ? withoutFormula(value) : value === null ? null : String(value);
      }),
    );
