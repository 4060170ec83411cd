import { findEmbedded } from '@svc/embedded-postgres';
import { dataDirectory } from '@svc/embedded-postgres/testing';
import pg from 'pg';
import { onFileEnd } from './cleanup.ts';
import { bootstrapWorkspace, type DashboardSession, type IssuedKey, signIn } from './dashboard-http.ts';
import { type ServiceProcess, startSvcd } from './process.ts';

/** A service process with its own embedded server, a workspace and a signed-in owner. */
export interface RunningService {
  readonly service: ServiceProcess;
  readonly env: Readonly<Record<string, string>>;
  readonly workspaceId: string;
  readonly dashboard: DashboardSession;
  /** A live key. */
  readonly key: IssuedKey;
}

export async function startRunningService(
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const env = { SVC_DATA_DIR: await dataDirectory(), ...settings };
  const service = await startSvcd(env);
  const workspaceId = await bootstrapWorkspace(env);
  const dashboard = await signIn(service);
  return { service, env, workspaceId, dashboard, key: await dashboard.createKey(workspaceId) };
}

/** A connection of the test to the embedded server of a data directory. */
export async function connectEmbedded(dataDir: string): Promise<pg.Client> {
  const found = await findEmbedded(dataDir);
  if (found === undefined) throw new Error(`no server runs in ${dataDir}`);
  const client = new pg.Client({ connectionString: found.url });
  // The service may end before the connection.
  client.on('error', () => undefined);
  await client.connect();
  onFileEnd(() => client.end().catch(() => undefined));
  return client;
}

export const bearer = (token: string): { readonly authorization: string } => ({
  authorization: `Bearer ${token}`,
});
