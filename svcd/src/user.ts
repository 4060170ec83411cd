import { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { print, say } from './output.ts';
import { readPassword } from './password.ts';

interface EmailFlag {
  readonly email: string;
}

/** `svcd user`: lists people, and resets lost passwords and second factors. */
export function userCommand(context: CommandContext): Command {
  return new Command('user')
    .description('list people, and reset lost passwords and second factors. Works while the service runs.')
    .summary('list people, reset passwords and second factors')
    .addCommand(listCommand(context))
    .addCommand(resetPasswordCommand(context))
    .addCommand(resetSecondFactorCommand(context));
}

const listCommand = (context: CommandContext): Command =>
  new Command('list')
    .description('print all people with their workspaces and roles, sorted by email address')
    .option('--json', 'print one JSON object per line: {"email", "name", "secondFactor", "workspaces"}')
    .action(async ({ json }: { readonly json?: true }) => {
      const { listUsers } = await import('@svc/service/dashboard/people/operator');
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
      'print a one-time link that sets a new password and is valid for 24 hours; with --set, set it now.\n' +
        'When the password is set, all sessions of the person end. The second factor does not change.',
    )
    .requiredOption('--email <address>', 'email address of the person')
    .option('--set', 'read the new password from standard input and set it now')
    .action(async ({ email, set }: EmailFlag & { readonly set?: true }) => {
      const { publicUrl } = context.config();
      const { createDashboardAuth } = await import('@svc/service/dashboard');
      const { createOperatorResetLink, setUserPassword } = await import(
        '@svc/service/dashboard/people/operator'
      );
      if (set !== true) {
        const link = await context.withDatabase('svcd user reset-password', ({ pool }) =>
          createOperatorResetLink({ pool, publicUrl, email }),
        );
        say(`This link sets a new password for ${email}. It works once, within 24 hours.`);
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
      'remove a lost second factor. The person then signs in with only the password, and can set up a new second ' +
        'factor. All sessions of the person end.',
    )
    .requiredOption('--email <address>', 'email address of the person')
    .action(async ({ email }: EmailFlag) => {
      const { resetUserSecondFactor } = await import('@svc/service/dashboard/people/operator');
      const removed = await context.withDatabase('svcd user reset-second-factor', ({ pool }) =>
        resetUserSecondFactor(pool, email),
      );
      say(
        removed
          ? `${email} can now sign in with the password only, and can set up a new second factor. All sessions have ended.`
          : `${email} has no second factor. Nothing was changed.`,
      );
    });
