import { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { print, say } from './output.ts';

/** `svcd workspace`: lists workspaces, and restores deleted ones. */
export function workspaceCommand(context: CommandContext): Command {
  return new Command('workspace')
    .description('list workspaces, and restore deleted ones. Works while the service runs.')
    .summary('list workspaces, restore deleted ones')
    .addCommand(listCommand(context))
    .addCommand(restoreCommand(context));
}

const listCommand = (context: CommandContext): Command =>
  new Command('list')
    .description('print all workspaces, sorted by id')
    .option('--deleted', 'only workspaces that are deleted and whose data is not removed yet')
    .option('--json', 'print one JSON object per line: {"id", "name", "deletedAt", "removedAt"}')
    .action(async ({ deleted, json }: { readonly deleted?: true; readonly json?: true }) => {
      const { listWorkspaces } = await import('@svc/service/dashboard/workspace/operator');
      await context.withDatabase('svcd workspace list', async ({ pool }) => {
        for await (const workspace of listWorkspaces(pool, deleted === true)) {
          const { id, name, deletedAt, removedAt } = workspace;
          const state =
            deletedAt === null ? '' : ` [deleted ${deletedAt}, data is removed from ${removedAt}]`;
          await print(json ? JSON.stringify(workspace) : `${id}: ${JSON.stringify(name)}${state}`);
        }
      });
    });

const restoreCommand = (context: CommandContext): Command =>
  new Command('restore')
    .description(
      'restore a workspace that was deleted in the last 7 days, with its keys, webhooks and members, as an owner can in ' +
        'the dashboard',
    )
    .argument('<id>', 'id of the workspace, such as wks_01h455vb4pex5vsknk084sn02q')
    .action(async (id: string) => {
      const { restoreDeletedWorkspace } = await import('@svc/service/dashboard/workspace/operator');
      const name = await context.withDatabase('svcd workspace restore', ({ pool }) =>
        restoreDeletedWorkspace(pool, id),
      );
      say(`The workspace ${JSON.stringify(name)} (${id}) is restored. Its keys are accepted again.`);
    });
