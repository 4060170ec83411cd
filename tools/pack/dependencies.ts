import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Which packages npm installs with the packed service, and which become part of it. */

const ROOT = join(import.meta.dirname, '../..');

/** These become part of the package, as those of this repository do: they are large, and little of them is used. */
const BUILT_IN = /^(?:@scalar\/fastify-api-reference|highlight\.js|typebox|@opentelemetry\/.*)$/;

type Versions = Readonly<Record<string, string>>;
interface Workspace {
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
}

/** The packages of this repository of which the service consists. */
const workspaces = ['svcd', 'service', 'sdk', ...globSync('packages/*', { cwd: ROOT })].map(
  (folder): Workspace => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')),
);

/** The versions of the packages that npm installs, by name. */
export const versionsOf = (section: keyof Workspace): Versions =>
  Object.fromEntries(
    workspaces
      .flatMap((workspace) => Object.entries(workspace[section] ?? {}))
      .filter(([name]) => !name.startsWith('@svc/') && !BUILT_IN.test(name))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
