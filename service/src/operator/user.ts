import { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { print, say } from './output.ts';
import { readPassword } from './password.ts';

interface EmailFlag {
  readonly email: string;
}

/** `svcd user`: the people of the service, and a way back in for those who have lost a password or second factor. */
export function userCommand(context: CommandContext): Command {
  return new Command('user')
    .description('list people, and let them back in. Works while the service runs.')
    .summary('list people, reset passwords and second factors')
    .addCommand(listCommand(context))
    .addCommand(resetPasswordCommand(context))
    .addCommand(resetSecondFactorCommand(context));
}

const listCommand = (context: CommandContext): Command =>
  new Command('list')
    .description('print every person with their workspaces and roles, by e-mail address')
    .option('--json', 'print one JSON object per line: {"email", "name", "secondFactor", "workspaces"}')
    .action(async ({ json }: { readonly json?: true }) => {
      const { listUsers } = await import('../dashboard/people/users.ts');
      await context.withDatabase('svcd user list', async ({ pool }) => {
        for await (const { email, secondFactor, workspaces, ...user } of listUsers(pool)) {
          const places = workspaces.map(({ id, name, role }) => `${role} of ${JSON.stringify(name)} (${id})`);
          const text = `${email}${secondFactor ? ' [second factor]' : ''}: ${places.join(', ') || 'no workspace'}`;
          await print(json ? JSON.stringify({ email, ...user, secondFactor, workspaces }) : text);
        }
      });
    });

const resetPasswordCommand = (context: CommandContext): Command =>
  new Command('reset-password')
    .description(
      'print a one-time link that sets a new password, valid for 24 hours; or set it now with --set.\n' +
        'All sessions of the person end when the password is set. A second factor stays.',
    )
    .requiredOption('--email <address>', 'the person')
    .option('--set', 'read the new password from standard input and set it now')
    .action(async ({ email, set }: EmailFlag & { readonly set?: true }) => {
      const { publicUrl } = context.config();
      const { createDashboardAuth } = await import('../dashboard/index.ts');
      const { createOperatorResetLink, setUserPassword } = await import('../dashboard/people/users.ts');
      if (set !== true) {
        const link = await context.withDatabase('svcd user reset-password', ({ pool }) =>
          createOperatorResetLink({ pool, publicUrl, email }),
        );
        say(`This link sets a new password for ${email}. It works once, for 24 hours.`);
        return print(link);
      }
      const password = await readPassword('New password: ');
      await context.withDatabase('svcd user reset-password', async ({ pool, secrets }) => {
        const auth = createDashboardAuth({ pool, secrets: await secrets(), publicUrl, log: context.log() });
        await setUserPassword({ pool, auth, email, password });
      });
      say(`${email} has a new password. All sessions of ${email} have ended.`);
    });

const resetSecondFactorCommand = (context: CommandContext): Command =>
  new Command('reset-second-factor')
    .description(
      'remove the second factor of a person who cannot use it any more. The person signs in with the password, and ' +
        'can set up a new one. All sessions of the person end.',
    )
    .requiredOption('--email <address>', 'the person')
    .action(async ({ email }: EmailFlag) => {
      const { resetUserSecondFactor } = await import('../dashboard/people/users.ts');
      const removed = await context.withDatabase('svcd user reset-second-factor', ({ pool }) =>
        resetUserSecondFactor(pool, email),
      );
      say(
        removed
          ? `${email} signs in with the password only, and can set up a new second factor. All sessions have ended.`
          : `${email} has no second factor. Nothing was changed.`,
      );
    });
