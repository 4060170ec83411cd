import { packagedBinaries } from '@svc/embedded-postgres/testing';
import type { TestProject } from 'vitest/node';
import { provideServer } from './template.ts';

/** Global setup of the project that runs on the packaged PostgreSQL. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideServer(project, await packagedBinaries());
}
