import { personHeader } from '../session/page-person.ts';
import { endpoint, readJson } from './client.ts';
import { ApiFailure, failureOf, unreachable } from './failure.ts';

export interface UploadOptions {
  readonly file: File;
  readonly contentType: string;
  /** Key of the file. A repeat with the same key adds only the missing records. */
  readonly idempotencyKey: string;
  /** Called with the share of the file that was sent, 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

/** The browser cannot read a file, for example because it has changed since it was chosen. */
export class UnreadableFile extends Error {
  constructor() {
    super('The browser could not read the file. Choose it again.');
  }
}

/** Whether an import may have written records before the error. A refusal says it. */
export const mayHaveWritten = (error: Error): boolean =>
  !(error instanceof ApiFailure) || error.recordsWritten || error.status === 0 || error.status >= 500;

/** The headers that `failureOf` reads. */
const FAILURE_HEADERS = ['request-id', 'retry-after', 'session-ended', 'records-written'] as const;

/**
 * Uploads a file. Uses XMLHttpRequest, because fetch does not report the progress of an upload. The service reads only
 * as fast as it writes records, so the sent share is about the written share. Throws ApiFailure or UnreadableFile.
 */
export function upload<T>(path: string, options: UploadOptions): Promise<T> {
  const { file, contentType, idempotencyKey, onProgress, signal } = options;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', endpoint(path));
    request.setRequestHeader('content-type', contentType);
    request.setRequestHeader('idempotency-key', idempotencyKey);
    for (const [name, value] of Object.entries(personHeader())) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      onProgress(total === 0 ? 1 : loaded / total);
    });
    request.addEventListener('load', () => {
      if (request.status < 400) {
        readJson<T>(new Response(request.responseText)).then(resolve, reject);
        return;
      }
      const headers = FAILURE_HEADERS.flatMap((name): [string, string][] => {
        const value = request.getResponseHeader(name);
        return value === null ? [] : [[name, value]];
      });
      failureOf(new Response(request.responseText, { status: request.status, headers })).then(reject, reject);
    });
    request.addEventListener('error', () => {
      // The browser does not say whether the connection or the file has failed.
      const readable = file.slice(0, 1).arrayBuffer();
      readable.then(
        () => reject(unreachable()),
        () => reject(new UnreadableFile()),
      );
    });
    request.addEventListener('abort', () =>
      reject(new DOMException('The upload was stopped.', 'AbortError')),
    );
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}
