import { urlOf } from '@svc/service/config/config';
import { createSignInLink } from '@svc/service/dashboard/people/links';
import type { Service } from '@svc/service/server/service';
import type { Logger } from 'pino';
import { createDemoKeys, type DemoKeys } from './keys.ts';
import { DEMO_EMAIL, seedDemo } from './seed.ts';
import { hasTraffic, seedTraffic } from './seed-traffic.ts';

/** What a person needs to try the service. The tokens and the link are shown only here. */
export interface Demo extends DemoKeys {
  readonly url: string;
  readonly ownerEmail: string;
  readonly signInLink: string;
  readonly workspaceId: string;
}

/** Fills a running service with the demo's data unless it has data, and creates new keys and a new link. */
export async function prepareDemo({ pool, settings }: Service, log: Logger): Promise<Demo> {
  const { publicUrl, secrets, host, port } = settings;
  const nowMs = Date.now();
  const { workspaceId, userId } = await seedDemo({ pool, secrets, publicUrl, log, nowMs });
  const link = (): Promise<string> => createSignInLink({ pool, publicUrl, userId });
  const unused = !(await hasTraffic(pool, workspaceId));
  const { clients, ...keys } = await createDemoKeys(
    { url: urlOf(host, port), publicUrl, workspaceId, signInLink: await link() },
    unused,
  );
  if (unused) await seedTraffic(pool, workspaceId, clients, nowMs);
  return { url: publicUrl, ownerEmail: DEMO_EMAIL, signInLink: await link(), workspaceId, ...keys };
}
