import type { Resource } from '../../resource.ts';
import type { Command } from '../command.ts';
import { SESSION_OPTIONS } from '../session.ts';
import { loginCommand, logoutCommand, profilesCommand, whoamiCommand } from './account.ts';
import { completionCommand } from './completion.ts';
import { listenCommand } from './listen.ts';
import { mcpCommand } from './mcp.ts';
import { countCommand, getCommand, listCommand, RESOURCE_ENTRIES } from './read.ts';
import { requestCommand } from './request.ts';
import { tailCommand } from './tail.ts';
import { verifyWebhookCommand } from './webhooks.ts';
import { createCommand, deleteCommand, updateCommand } from './write.ts';

/** The commands of a resource, derived from its declaration. */
function resourceCommands(property: string, resource: Resource): readonly Command[] {
  const { counted = false, writes = [] } = resource;
  return [
    listCommand(property, resource),
    getCommand(property, resource),
    ...(counted ? [countCommand(property, resource)] : []),
    tailCommand(property, resource),
    ...(writes.includes('create') ? [createCommand(property, resource)] : []),
    ...(writes.includes('update') ? [updateCommand(property, resource)] : []),
    ...(writes.includes('delete') ? [deleteCommand(property, resource)] : []),
  ];
}

/** Adds the options of commands that call the service. */
const inSession = (command: Command): Command => ({
  ...command,
  options: { ...command.options, ...SESSION_OPTIONS },
});

/** Every command. Help and completion are derived from this list. */
export const COMMANDS: readonly Command[] = [
  ...RESOURCE_ENTRIES.flatMap(([property, resource]) => resourceCommands(property, resource).map(inSession)),
  loginCommand,
  logoutCommand,
  profilesCommand,
  inSession(whoamiCommand),
  inSession(requestCommand),
  inSession(listenCommand),
  verifyWebhookCommand,
  inSession(mcpCommand),
  completionCommand(() => COMMANDS),
];
