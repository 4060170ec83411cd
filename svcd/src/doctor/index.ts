import { styleText } from 'node:util';
import { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { print } from '../output.ts';
import type { Finding } from './check.ts';
import { examine } from './examine.ts';

const FAILED = 1;
const STATUS_WIDTH = 6;
const CHECK_WIDTH = 16;
const COLORS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** `svcd doctor`: checks what the service depends on and says how to repair it. Changes nothing. */
export function doctorCommand(context: CommandContext): Command {
  return new Command('doctor')
    .description(
      'check settings, data directory, disk, secrets, database, schema, clock and audit log, and say how to\n' +
        'repair what is wrong. Changes nothing. Exits with 1 if a check fails.',
    )
    .summary('check what the service depends on')
    .option('--json', 'print {"ok", "checks": [{"check", "status", "text", "remedy"}]}')
    .action(async ({ json }: { readonly json?: true }) => {
      const checks = await examine(context.config, context.log);
      const allWell = checks.every(({ status }) => status !== 'fail');
      if (json) await print(JSON.stringify({ ok: allWell, checks }));
      else await print(checks.map(line).join('\n'), inColor);
      if (!allWell) process.exitCode = FAILED;
    });
}

const line = ({ check, status, text, remedy }: Finding): string =>
  `${status.padEnd(STATUS_WIDTH)}${check.padEnd(CHECK_WIDTH)}${text}${remedy === undefined ? '' : ` -> ${remedy}`}`;

const STATUS = new RegExp(`^(?:${Object.keys(COLORS).join('|')})\\b`, 'gm');

const inColor = (text: string): string =>
  text.replace(STATUS, (status) =>
    styleText(COLORS[status as Finding['status']], status, { stream: process.stdout }),
  );
