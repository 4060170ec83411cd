import { errorOf } from '../../changes/stream.ts';
import type { RequestAnswer } from '../../client.ts';
import { NDJSON } from '../../collection/export.ts';
import { HTTP_METHODS } from '../../contract/index.ts';
import { SvcError } from '../../errors.ts';
import { mayHaveBody } from '../../http/transport.ts';
import { type Command, parseHeaders, positional, text, UsageError, type Values } from '../command.ts';
import { readInput } from '../input.ts';
import { type Io, printMessage, sanitizeText, write } from '../io.ts';
import { nameOf } from '../lines.ts';
import { valueText } from '../output/format.ts';
import { openClient } from '../session.ts';

export const requestCommand: Command = {
  path: ['request'],
  summary: 'Send any request to the service, with the same key and retries as the other commands',
  positionals: ['METHOD', 'PATH'],
  completes: HTTP_METHODS,
  options: {
    data: {
      type: 'string',
      short: 'd',
      value: 'JSON',
      description: 'Request body. @FILE reads a file, - reads standard input',
    },
    header: {
      type: 'string',
      short: 'H',
      value: 'NAME:VALUE',
      description: 'Request header. May be repeated',
      multiple: true,
    },
  },
  notes: [
    "Example: svc request GET '/v1/audits?sort=score-descending&limit=3'",
    'It prints a response when it is complete, so it cannot print /v1/changes/stream: use svc changes tail --stream.',
    'If an export ends early, its last line is {"error": …}, and the exit code is that of the error.',
  ],
  async run(invocation) {
    const { io, values } = invocation;
    const given = positional(invocation, 0, 'METHOD');
    const method = given.toUpperCase();
    const path = positional(invocation, 1, 'PATH');
    if (!HTTP_METHODS.some((known) => known === method))
      throw new UsageError(`"${given}" is not one of ${HTTP_METHODS.join(', ')}.`);
    if (!/^\/(?!\/)/.test(path)) throw new UsageError('PATH must begin with one slash, such as /v1/audits.');
    if (values['data'] !== undefined && !mayHaveBody(method))
      throw new UsageError(`A ${method} request has no body. Remove --data.`);
    const headers = headersOf(values);
    const body = await bodyOf(io, text(values, 'data'));
    const svc = await openClient(invocation);
    const answer = await svc.request(method, path, { headers, body, signal: io.signal });
    if (answer.dryRun)
      await printMessage(io, 'svc: this is a test key, so this was a dry run: nothing is changed.');
    if (answer.body !== undefined) await write(io.stdout, bodyText(answer.body, io.stdout));
    const failure = failureOf(answer);
    if (failure !== undefined) throw failure;
  },
};

/** The error in the last line of an export that ended early. Undefined: the response is complete. */
function failureOf({ headers, body }: RequestAnswer): SvcError | undefined {
  if (typeof body !== 'string' || !headers.get('content-type')?.startsWith(NDJSON)) return undefined;
  const last = body.slice(body.trimEnd().lastIndexOf('\n') + 1);
  return last.startsWith('{"error":') ? errorOf({ data: last }) : undefined;
}

/** JSON, or a text as it is. On a terminal, a text has no characters that change what the terminal shows. */
function bodyText(body: unknown, stdout: Io['stdout']): string {
  if (typeof body !== 'string') return valueText(body, stdout);
  return stdout.isTTY === true ? body.split('\n').map(sanitizeText).join('\n') : body;
}

function headersOf(values: Values): Readonly<Record<string, string>> {
  const headers = parseHeaders(values);
  if (Object.hasOwn(headers, 'authorization'))
    throw new UsageError('The key comes from SVC_API_KEY or svc login.');
  return headers;
}

async function bodyOf(io: Io, data: string | undefined): Promise<unknown> {
  if (data === undefined) return undefined;
  const json = await readData(io, data);
  try {
    return JSON.parse(json);
  } catch {
    throw new UsageError('--data is not JSON.');
  }
}

async function readData(io: Io, data: string): Promise<string> {
  if (data !== '-' && !data.startsWith('@')) return data;
  const file = data.replace(/^@/, '');
  const bytes = await readInput(io, file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SvcError(`${nameOf(file)} is not UTF-8.`, { cause });
  }
}
