import type { Readable, Writable } from 'node:stream';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Svc } from '../../client.ts';
import type { JsonSchema } from '../../contract/index.ts';
import { SvcApiError, SvcError, SvcNetworkError, SvcTimeoutError } from '../../errors.ts';
import { VERSION } from '../../version.ts';
import { answerBeforeEnd } from './answers.ts';
import { fits, inTime, tooLong } from './bounded.ts';
import type { Arguments, Tool } from './tool.ts';
import { toolsOf } from './tools.ts';

/** How many calls run at the same time. A call above it is refused. */
const CALLS_MAX = 16;
/** The longest message of a client. */
const MESSAGE_MAX_BYTES = 4 * 1024 * 1024;

interface McpOptions {
  readonly svc: Svc;
  /** Whether there are tools that write. */
  readonly writes: boolean;
  /** For the client, what the key may do. */
  readonly instructions: string;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Called with errors of the connection. */
  readonly onError: (error: Error) => void;
  /** Ends the server. */
  readonly signal: AbortSignal;
}

/** Serves the tools to one client, over standard input and output. Resolves when the client has closed its end. */
export async function serveMcp({ svc, writes, instructions, ...io }: McpOptions): Promise<void> {
  const tools = toolsOf({ writes });
  let running = 0;
  const limited = async (tool: Tool, input: Arguments, signal: AbortSignal): Promise<Result> => {
    if (running >= CALLS_MAX)
      return failure(
        'too_many_calls',
        `At most ${CALLS_MAX} calls run at the same time. Call it again later.`,
      );
    running += 1;
    try {
      return await call(svc, tool, input, signal);
    } finally {
      running -= 1;
    }
  };
  const transport = new StdioServerTransport(io.stdin as Readable, io.stdout as Writable, {
    maxBufferSize: MESSAGE_MAX_BYTES,
  });
  answerBeforeEnd(transport, { input: io.stdin, signal: io.signal });
  const ended = new Promise<void>((resolve) => {
    // It also closes by itself: at the end of the input, and after a message that is too long.
    const close = transport.close.bind(transport);
    transport.close = () => close().finally(resolve);
    io.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const handle = serveStdio(
    () => {
      const server = new McpServer({ name: 'svc', version: VERSION }, { instructions });
      for (const tool of tools) {
        const { name, description, kind } = tool;
        const annotations = {
          readOnlyHint: kind === 'read',
          destructiveHint: kind !== 'read' && kind !== 'create',
          idempotentHint: kind !== 'create' && kind !== 'batch',
          openWorldHint: false,
        };
        const inputSchema = fromJsonSchema<Arguments>(tool.inputSchema, UNCHECKED);
        server.registerTool(name, { description, inputSchema, annotations }, (input, { mcpReq }) =>
          limited(tool, input, mcpReq.signal),
        );
      }
      return server;
    },
    { transport, onerror: io.onError },
  );
  await ended;
  await handle.close();
}

/** `call` checks the names of the arguments, and the service their values. Its messages name what is allowed. */
const UNCHECKED: Parameters<typeof fromJsonSchema>[1] = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

interface Result {
  readonly [name: string]: unknown;
  readonly isError?: true;
  readonly content: { readonly type: 'text'; readonly text: string }[];
}

/** Throws `SvcError` for an argument that the tool does not have. It would be ignored, or be sent to the service. */
function checkNames({ inputSchema }: Tool, input: Arguments): void {
  const names = Object.keys(inputSchema['properties'] as JsonSchema);
  const unknown = Object.keys(input).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const allowed = names.length === 0 ? 'This tool has none.' : `Allowed: ${names.join(', ')}.`;
  throw new SvcError(`${JSON.stringify(unknown)} is not an argument of this tool. ${allowed}`);
}

/** Calls a tool. A failure is a result with its code, so that the model can act on it. */
async function call(svc: Svc, tool: Tool, input: Arguments, ending: AbortSignal): Promise<Result> {
  try {
    checkNames(tool, input);
    const value = await inTime(ending, (signal) => tool.call(svc, input, { signal }));
    if (!fits(value)) throw tooLong();
    const dryRun = tool.kind !== 'read' && svc.mode === 'test';
    return {
      content: [
        { type: 'text', text: JSON.stringify(value) },
        ...(dryRun ? [{ type: 'text' as const, text: DRY_RUN }] : []),
      ],
    };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    if (!(error instanceof SvcApiError)) return failure(codeOf(error), error.message);
    const { code, message, status, requestId } = error;
    return failure(code, message, { status, requestId });
  }
}

const DRY_RUN = 'This was a dry run, because the API key is a test key: nothing has changed.';

const codeOf = (error: SvcError): string => {
  if (error instanceof SvcTimeoutError) return 'timeout';
  return error instanceof SvcNetworkError ? 'network_error' : 'invalid_call';
};

const failure = (code: string, message: string, more: object = {}): Result => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify({ error: { code, message, ...more } }) }],
});
