import type { ChildProcess } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Fetch } from '@svc/sdk';
import type { Input, Io, Output } from '../../src/cli/io.ts';
import { run } from '../../src/cli/run.ts';

/** The result of a command line. */
export interface CliResult {
  /** Null: a signal has ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly fetch?: Fetch;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Readable;
  /** Which streams are a terminal. Default: none. */
  readonly terminal?: readonly ('stdin' | 'stdout' | 'stderr')[];
  readonly columns?: number;
  /** Whether the terminals show colors. Default: no. */
  readonly colors?: boolean;
  readonly signal?: AbortSignal;
  readonly now?: () => number;
}

interface Capture {
  readonly stream: Output;
  text(): string;
}

function capture(isTTY: boolean, columns: number, colors: boolean): Capture {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return {
    stream: Object.assign(stream, { isTTY, columns, hasColors: () => colors }),
    text: () => chunks.join(''),
  };
}

const WIDE = 1_000;

/** Runs the command line in this process. */
export async function cli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { terminal = [], columns = WIDE, colors = false, env = {}, stdin = '', fetch } = options;
  const stdout = capture(terminal.includes('stdout'), columns, colors);
  const stderr = capture(terminal.includes('stderr'), columns, colors);
  const source = typeof stdin === 'string' ? Readable.from(stdin === '' ? [] : [stdin]) : stdin;
  const input: Input = Object.assign(source, {
    isTTY: terminal.includes('stdin'),
    setRawMode: () => undefined,
  });
  const io: Io = {
    env,
    stdin: input,
    stdout: stdout.stream,
    stderr: stderr.stream,
    signal: options.signal ?? new AbortController().signal,
    now: options.now ?? Date.now,
    ...(fetch === undefined ? {} : { fetch }),
  };
  const code = await run(argv, io);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** The result of a process, after its end. */
export async function ended(child: ChildProcess): Promise<CliResult> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the process has no pipes');
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([text(stdout), text(stderr)]);
  return { code: await code, stdout: out, stderr: err };
}

/** The lines of NDJSON. */
export const records = (ndjson: string): readonly Readonly<Record<string, unknown>>[] =>
  ndjson
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** The first message of a client of `svc mcp`. */
export const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
