import type { DashboardSession, IssuedKey } from '../harness/dashboard-http.ts';
import { elapsed } from '../harness/postgres/proxy.ts';
import { secret } from '../harness/secrets.ts';
import type { Random } from './random.ts';
import type { NamedToken } from './recorder.ts';
import type { Scene } from './scene.ts';

const PAUSE_MS = 50;
const UNAUTHORIZED = 401;
/** How often a token is tried, at both nodes, before and after its end. */
const TRIES = 8;

export interface KeyClient {
  readonly workspaceId: string;
  /** A session at each node. */
  readonly sessions: readonly [DashboardSession, ...DashboardSession[]];
  readonly random: Random;
}

/** Creates keys, uses them at both nodes, rotates or revokes them, and continues to use the old token. */
export async function changeKeys(scene: Scene, name: string, client: KeyClient): Promise<void> {
  for (let n = 0; scene.isOpen(); n++) {
    const issued = await answered(scene, client, (session) => session.createKey(client.workspaceId));
    if (issued === undefined) continue;
    const token = named(client, `${name}-${n}`, issued);
    await use(scene, token, TRIES);
    const rotate = client.random.next() < 0.5;
    const path = `/workspaces/${client.workspaceId}/keys/${issued.key.id}/${rotate ? 'rotate' : 'revoke'}`;
    const using = use(scene, token, TRIES * 2);
    const changed = await answered(scene, client, (session) => session.post<IssuedKey>(path));
    if (changed !== undefined) {
      scene.recorder.endedTokens.push({ token: token.name, confirmedMs: performance.now() });
    }
    await using;
    await use(scene, token, TRIES);
    if (changed === undefined || !rotate) continue;
    const next = named(client, `${name}-${n}-rotated`, changed);
    await use(scene, next, TRIES);
  }
}

function named({ workspaceId }: KeyClient, name: string, { token }: IssuedKey): NamedToken {
  secret(token);
  return { name, token, live: true, workspaceId };
}

/** The result of one call at one of the nodes. Undefined: it was not confirmed. */
async function answered<T>(
  scene: Scene,
  { sessions, random }: KeyClient,
  call: (session: DashboardSession) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await call(random.pick(sessions));
  } catch {
    // It is unknown whether this was done. The next iteration uses another key.
    if (scene.isOpen()) await elapsed(PAUSE_MS);
    return undefined;
  }
}

async function use(scene: Scene, token: NamedToken, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const { attempt } = await scene.recorder.request(`${scene.nodeUrl()}/v1/companies`, token);
    if (attempt.status === UNAUTHORIZED) await elapsed(PAUSE_MS);
  }
}
