import { join } from 'node:path';
import { killServer } from '@svc/embedded-postgres/testing';
import { expect } from 'vitest';
import { readMigrationFiles } from '../../src/database/migrate.ts';
import { spawnSvcd } from '../harness/process.ts';
import { connectEmbedded } from '../harness/running-service.ts';
import { killAtMigration } from '../history/plants.ts';
import { RELEASE } from './release.ts';

const HOOK = join(import.meta.dirname, '../history/plant-hook.ts');

/**
 * Starts the service on a data directory of an earlier release, and kills it within each migration, in the last one with
 * PostgreSQL. Each start applies the one migration at which the one before was killed. Returns how many there were.
 */
export async function killAtEachMigration(dataDir: string): Promise<number> {
  const files = (await readMigrationFiles()).slice(RELEASE.migrations);
  for (const { number, name } of files) {
    const service = spawnSvcd(['start'], {
      env: {
        SVC_DATA_DIR: dataDir,
        SVC_PORT: '0',
        SVC_WORKERS: '1',
        NODE_OPTIONS: `--import=${HOOK}`,
        PLANTED_FAULT: JSON.stringify(killAtMigration(number)),
      },
    });
    expect(await service.ended, `${name}: ${service.stderr()}`).toEqual({ code: null, signal: 'SIGKILL' });
    const applied = service.stdout().match(/applied migration [\w.]+/g) ?? [];
    expect(applied).toHaveLength(number === RELEASE.migrations + 1 ? 0 : 1);
    const client = await connectEmbedded(dataDir);
    const { rows } = await client.query('select max(number) as last from schema_migrations');
    expect(rows).toEqual([{ last: number - 1 }]);
    await client.end();
    if (number === files.at(-1)?.number) await killServer(dataDir, 'SIGKILL');
  }
  return files.length;
}
