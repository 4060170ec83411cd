import { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { print, say } from './output.ts';
import { readPassword } from './password.ts';

interface BootstrapFlags {
  readonly email: string;
  readonly workspace: string;
  readonly json?: true;
}

/** `svcd bootstrap`: creates an owner and a workspace without the dashboard. It creates no API keys. */
export function bootstrapCommand(context: CommandContext): Command {
  return new Command('bootstrap')
    .description(
      'create a workspace and its owner. If the owner has an account, create only the workspace.\n' +
        'The password of a new owner is read from SVC_OWNER_PASSWORD or from standard input.',
    )
    .summary('create a workspace and its owner')
    .requiredOption('--email <address>', 'email address of the owner')
    .requiredOption('--workspace <name>', 'name of the new workspace')
    .option('--json', 'print {"workspaceId", "email", "created"} on one line')
    .action(async (flags: BootstrapFlags) => {
      const { publicUrl } = context.config();
      const { bootstrap, createDashboardAuth } = await import('@svc/service/dashboard');
      const password =
        process.env['SVC_OWNER_PASSWORD'] ||
        (await readPassword('Password of the new owner (leave it empty if the owner has an account): '));
      const { workspaceId, created } = await context.withDatabase(
        'svcd bootstrap',
        async ({ pool, secrets }) =>
          bootstrap({
            pool,
            auth: createDashboardAuth({ pool, secrets: await secrets(), publicUrl, log: context.log() }),
            email: flags.email,
            password,
            workspaceName: flags.workspace,
          }),
        { create: true },
      );
      if (flags.json) return print(JSON.stringify({ workspaceId, email: flags.email, created }));
      say(
        created
          ? `Created the owner ${flags.email} and the workspace "${flags.workspace}".`
          : `Created the workspace "${flags.workspace}" for ${flags.email}. The password is unchanged.`,
      );
      await print(workspaceId);
    });
}
