import { RESOURCES } from '../../resource.ts';
import { createWebhookSecret, signWebhook } from '../../webhooks.ts';
import type { Change, NewerValue } from '../../wire.ts';
import { type Command, text, UsageError, type Values } from '../command.ts';
import { type Io, printMessage, write } from '../io.ts';
import { outputOf, outputOptions } from '../output/options.ts';
import { openClient } from '../session.ts';
import { readSecrets } from './webhooks.ts';

/** As the service has it. */
const TIMEOUT_MS = 15_000;
const USER_AGENT = 'svc-webhooks/1';
const TYPES: readonly string[] = RESOURCES.changes.filters.type;

/** What a table has of each webhook. Without the id, a terminal has room for the reason of a failure. */
const TABLE = {
  type: 'text',
  recordId: 'text',
  status: 'integer',
  durationMs: 'integer',
  error: 'text',
} as const;
const FIELDS = { id: 'text', ...TABLE } as const;
/** The first line is written before the others are known: room for each type, and for the beginning of a reason. */
const LEAST = { type: Math.max(...TYPES.map(({ length }) => length)), error: 21 };

export const listenCommand: Command = {
  path: ['listen'],
  summary: 'Send each new change as a signed webhook to a program on this machine',
  options: {
    'forward-to': {
      type: 'string',
      value: 'URL',
      description: 'Where to send the webhooks, such as http://127.0.0.1:3000/hook',
    },
    types: {
      type: 'string',
      value: 'TYPE,…',
      choices: TYPES,
      list: true,
      description: 'Send only these types, with a comma between them. Default: all',
    },
    company: { type: 'string', value: 'ID', description: 'Send only changes of this company' },
    after: {
      type: 'string',
      value: 'POSITION',
      description:
        'Where to begin: now, start (the oldest stored change) or the id of a change. Default: now',
    },
    'secret-file': {
      type: 'string',
      value: 'FILE',
      description: 'Sign with the secret in this file. Default: a new secret, which is printed',
    },
    ...outputOptions(FIELDS),
  },
  notes: [
    'The body and the headers are those of the webhooks of the service. Each webhook is sent once, one after the other: a failure is printed, and the next one is sent.',
    'Example: svc listen --forward-to http://127.0.0.1:3000/hook --types content.created,content.updated',
  ],
  async run(invocation) {
    const { io, values } = invocation;
    const url = urlOf(values);
    const types = typesOf(values);
    const after = text(values, 'after') ?? 'now';
    if (after === '') throw new UsageError('--after must not be empty.');
    const { writer } = outputOf(invocation, FIELDS, { table: TABLE, least: LEAST });
    const given = text(values, 'secret-file') === undefined ? undefined : await readSecrets(io, values);
    const [secret = createWebhookSecret(), second] = given ?? [];
    if (second !== undefined) throw new UsageError('The file of --secret-file must have one secret.');
    const svc = await openClient(invocation);
    const [type, another] = types;
    const tail = svc.changes.tail({
      after,
      companyId: text(values, 'company'),
      type: another === undefined ? (type as Exclude<Change['type'], NewerValue> | undefined) : undefined,
      retries: Number.POSITIVE_INFINITY,
      signal: io.signal,
    });
    // A malformed secret is refused before anything is sent.
    await signWebhook({ id: 'svc', body: '', nowMs: io.now() }, secret);
    await tail.begin();
    const shown = given === undefined ? ` The secret is ${secret}` : '';
    await printMessage(io, `svc: changes are sent to ${url}.${shown}`);
    for await (const change of tail) {
      if (types.length > 0 && !types.includes(change.type)) continue;
      const { id, type: sent, recordId } = change;
      const result = await forward(io, url, change, secret);
      await write(io.stdout, writer.page([{ id, type: sent, recordId, ...result }]));
    }
  },
};

/** Throws {@link UsageError} if --forward-to is missing or not an http address. */
function urlOf(values: Values): string {
  const url = text(values, 'forward-to') ?? '';
  if (url === '') throw new UsageError('--forward-to is missing: --forward-to http://127.0.0.1:3000/hook');
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new UsageError(`--forward-to must be an http or https address, not "${url}".`);
}

/** The types to send; empty: all. Throws {@link UsageError} on one that does not exist. */
function typesOf(values: Values): readonly string[] {
  const given = text(values, 'types');
  if (given === undefined) return [];
  const types = given.split(',').map((type) => type.trim());
  const unknown = types.find((type) => !TYPES.includes(type));
  if (unknown === undefined) return types;
  throw new UsageError(`There is no type "${unknown}". The types are ${TYPES.join(', ')}.`);
}

interface Forwarded {
  readonly status: number | null;
  readonly durationMs: number;
  /** Why there is no response. */
  readonly error: string | null;
}

/** Sends a change as a webhook once. Rejects only if the command is interrupted. */
async function forward(io: Io, url: string, change: Change, secret: string): Promise<Forwarded> {
  const { id, type, createdAt: timestamp } = change;
  const body = JSON.stringify({ type, timestamp, data: change });
  const signature = await signWebhook({ id, body, nowMs: io.now() }, secret);
  const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...signature };
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const startMs = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startMs);
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return { status: response.status, durationMs: durationMs(), error: null };
  } catch (error) {
    io.signal.throwIfAborted();
    return { status: null, durationMs: durationMs(), error: reasonOf(error) };
  }
}

/** The message of Node's fetch is only `fetch failed`; its cause has the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no response within ${TIMEOUT_MS / 1000} s`;
  const { cause } = error;
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? reasonOf(cause) : error.message;
}
