import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';

export const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

interface Called {
  readonly failed: boolean;
  readonly texts: readonly string[];
  readonly value: {
    readonly data?: readonly { readonly id: string }[];
    readonly pagination?: { readonly nextCursor: string | null; readonly position?: string };
    readonly error?: { readonly code: string; readonly message: string };
    readonly [name: string]: unknown;
  };
}

/** A client of the official library, connected to a process `svc mcp` with this environment. */
export async function connectMcp(env: Readonly<Record<string, string>>, args: readonly string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    env,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  onFileEnd(() => client.close());
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<Called> => {
    const { content, isError } = await client.callTool({ name, arguments: input });
    const texts = content.map((part) => (part.type === 'text' ? part.text : ''));
    return { failed: isError === true, texts, value: JSON.parse(texts[0] ?? '') };
  };
  return { client, transport, call };
}
