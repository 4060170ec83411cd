import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { provideServer } from './template.ts';

/** The folder in which Debian installs the oldest supported version. */
export const POSTGRESQL_15 = '/usr/lib/postgresql/15/bin';

/** Global setup of the project that runs on an external server of the oldest supported version. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const binaries = { initdb: join(POSTGRESQL_15, 'initdb'), postgres: join(POSTGRESQL_15, 'postgres') };
  return provideServer(project, binaries, ['--locale=C.UTF-8']);
}
