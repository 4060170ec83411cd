import { type Command, flag, UsageError } from '../command.ts';
import { printMessage } from '../io.ts';
import { inTime } from '../mcp/bounded.ts';
import { openClient } from '../session.ts';

export const mcpCommand: Command = {
  path: ['mcp'],
  summary: 'Serve the workspace to a language model (Model Context Protocol, on standard input and output)',
  options: {
    'allow-writes': {
      type: 'boolean',
      description: 'Also offer tools that create, change and delete records. The key needs write access',
    },
  },
  notes: [
    'A program for agents starts this command and sends it messages. The tools list, get and count records, and read the change feed. With a test key, tools that write are dry runs.',
    'Set SVC_API_KEY and SVC_BASE_URL in the environment of the program, or run svc login before.',
  ],
  async run(invocation) {
    const { io, values } = invocation;
    const asked = flag(values, 'allow-writes');
    const svc = await openClient(invocation);
    const { key, workspace, company } = await inTime(io.signal, (signal) => svc.me({ signal }));
    const mayWrite = key.access === 'write';
    if (asked && !mayWrite)
      throw new UsageError(
        `The key "${key.name}" has no write access. Leave out --allow-writes, or use another key.`,
      );
    // Not its name: a record can contain text of strangers, and a model follows its instructions.
    const only = company === null ? '' : `, only the company ${company.id}`;
    const [workspaceName, keyName] = [workspace.name, key.name].map((name) => JSON.stringify(name));
    const instructions = [
      `The data of the workspace ${workspaceName}${only}, by the API key ${keyName}.`,
      asked ? 'Tools can create, change and delete records.' : 'All tools only read.',
      ...(asked && key.mode === 'test'
        ? [
            'It is a test key, so every write is a dry run. Try writes that depend on each other with run_batch.',
          ]
        : []),
      'Lists have pages: follow nextCursor until it is null. A failed call returns {"error": {"code", "message"}}.',
    ].join(' ');
    // Only this command needs it, and it is large.
    const { serveMcp } = await import('../mcp/server.ts');
    await printMessage(io, `svc: serving ${workspace.name}, ${asked ? 'reads and writes' : 'reads only'}.`);
    const { stdin, stdout, signal } = io;
    const onError = (error: Error): void => {
      printMessage(io, `svc: ${error.message}`).catch(() => undefined);
    };
    await serveMcp({ svc, writes: asked, instructions, stdin, stdout, signal, onError });
    signal.throwIfAborted();
  },
};
