import { counted } from '@svc/service/config/plural';
import { distribute, type PlacedTable } from '@svc/service/database/distribute';
import { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { print, say } from './output.ts';

interface MigrateFlags {
  readonly distribute?: true;
}

/** `svcd migrate`: applies the migrations of this release, and distributes the tables over a cluster of Citus. */
export function migrateCommand(context: CommandContext): Command {
  return new Command('migrate')
    .summary('apply the migrations; distribute the tables over a cluster')
    .description(
      'apply the migrations of this release, as a start does. A repeat does what is left.\n' +
        'docs/scale.md describes the way to a cluster.',
    )
    .option(
      '--distribute',
      'move the tables to the workers of a cluster of Citus, by workspace. Stop the service first',
    )
    .action(async (flags: MigrateFlags) => {
      const placed = await context.withDatabase(
        'svcd migrate',
        ({ pool }) => (flags.distribute ? distribute(pool) : Promise.resolve(undefined)),
        { create: true },
      );
      if (placed === undefined) say('The database has all migrations of this release.');
      else await report(placed);
    });
}

const PLACES: Readonly<Record<PlacedTable['placement'], string>> = {
  workspace: 'divided by workspace',
  reference: 'on each node',
  local: 'only on the coordinator',
};

async function report(tables: readonly PlacedTable[]): Promise<void> {
  const width = Math.max(...tables.map(({ table }) => table.length));
  for (const { table, placement, moved } of tables)
    await print(`${table.padEnd(width)}  ${PLACES[placement]}${moved ? '' : ' (as before)'}`);
  const moved = tables.filter((table) => table.moved).length;
  say(
    moved === 0
      ? 'All tables are in their places already. Nothing to do.'
      : `Distributed ${counted(moved, 'table', 'tables')}.`,
  );
}
