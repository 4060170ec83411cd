import { readFile, rename, writeFile } from 'node:fs/promises';
import { SvcError } from '../../errors.ts';
import type { Resource } from '../../resource.ts';
import { type Command, flag, integer, type Options, text, UsageError, type Values } from '../command.ts';
import { write } from '../io.ts';
import { outputOf, outputOptions } from '../output/options.ts';
import { tailOptions, tailParameters } from './filters.ts';
import { nounOf, openCollection } from './read.ts';

const POLL_SECONDS = 5;

/** How a tail learns of new records: the service holds a request until there is one, or the tail asks now and then. */
const pollOption: Options = {
  poll: {
    type: 'string',
    value: 'SECONDS',
    description: `Pause between two polls. Default: ${POLL_SECONDS}`,
  },
};
const streamOption: Options = {
  stream: {
    type: 'boolean',
    description: 'Keep one connection open, on which changes arrive, instead of a request per wait',
  },
};
const POLLS = 'With a live key, each poll counts towards the quota.';
const WAITS =
  'The service holds each request for up to 25 seconds, until there is a change. With a live key, each request counts towards the quota. With --stream, each connection and each further 100 changes count.';

export const tailCommand = (property: string, resource: Resource): Command => ({
  path: [resource.name, 'tail'],
  summary: `Show ${nounOf(property).plural} as they are ${resource.positions === true ? 'committed' : 'created'}, oldest first`,
  options: {
    after: {
      type: 'string',
      value: 'POSITION',
      description:
        'Where to begin: now (only new records), start (existing records first) or a stored position. Default: now',
    },
    position: {
      type: 'string',
      value: 'FILE',
      description: 'Read the position from this file, and store it there after each page of output',
    },
    once: { type: 'boolean', description: 'End at the newest record instead of waiting for new ones' },
    ...(resource.positions === true ? streamOption : pollOption),
    ...tailOptions(resource),
    ...outputOptions(resource.fields),
  },
  notes: [
    'While the service is unavailable, the command keeps retrying. With --position, you can stop and restart it at any time: it skips no record, and repeats at most the last page of output.',
    resource.positions === true ? WAITS : POLLS,
  ],
  async run(invocation) {
    const { io, values } = invocation;
    const file = text(values, 'position');
    const after = await startPosition(values, file);
    const [once, streamed] = [flag(values, 'once'), flag(values, 'stream')];
    if (once && streamed) throw new UsageError('Use either --once or --stream: a stream does not end.');
    const { writer } = outputOf(invocation, resource.fields);
    const { collection } = await openCollection(invocation, property);
    const options = {
      ...tailParameters(resource, values),
      after,
      retries: Number.POSITIVE_INFINITY,
      signal: io.signal,
    };
    const pollMs = (integer(values, 'poll', 1) ?? POLL_SECONDS) * 1000;
    const tail = streamed
      ? collection.stream(options)
      : collection.tail({
          ...options,
          follow: !once,
          ...(resource.positions === true ? {} : { pollMs }),
        });
    await tail.begin();
    if (file !== undefined) await writePosition(file, tail.position);
    for await (const records of tail.pages()) {
      await write(io.stdout, writer.page(records));
      if (file !== undefined) await writePosition(file, tail.position);
    }
    await write(io.stdout, writer.end());
    if (file !== undefined) await writePosition(file, tail.position);
  },
});

/**
 * The position in the file, if the file exists. Otherwise --after, which is then where the first run begins. Default:
 * now.
 */
async function startPosition(values: Values, file: string | undefined): Promise<string> {
  const after = text(values, 'after') ?? 'now';
  if (after === '') throw new UsageError('--after must not be empty.');
  if (file === undefined) return after;
  const position = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code, message }: { readonly code?: unknown; readonly message?: unknown } = Object(error);
    if (code === 'ENOENT') return undefined;
    throw new SvcError(`${file} cannot be read: ${String(message)}`, { cause: error });
  });
  if (position === undefined) return after;
  if (/^\S+$/.test(position.trim())) return position.trim();
  throw new SvcError(`${file} has no position. Remove it, or name the file of an earlier run.`);
}

/**
 * Replaces the file atomically, so it always contains one complete position. Throws {@link SvcError} with the name of the
 * file if it cannot be written.
 */
async function writePosition(file: string, position: string): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  try {
    await writeFile(temporary, `${position}\n`);
    await rename(temporary, file);
  } catch (error) {
    const { code, message }: { readonly code?: unknown; readonly message?: unknown } = Object(error);
    const reason =
      code === 'ENOENT' ? 'Its directory does not exist.' : String(message).replaceAll(temporary, file);
    throw new SvcError(`${file} cannot be written: ${reason}`, { cause: error });
  }
}
