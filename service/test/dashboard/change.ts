import type { AnyAuditLogEntry } from '@svc/sdk';
import type { InjectOptions } from 'fastify';
import type { TestDashboard, Visitor } from '../harness/dashboard.ts';
import type { TestService } from '../harness/service.ts';
import type { TestProvider } from './openid.ts';

/** A request that changes something, ready to be sent. */
interface Change {
  readonly as: Visitor;
  /** The workspace whose log has the entries. Default: the one that the response names. */
  readonly workspaceId?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly options?: InjectOptions;
  /** The expected entries, in their order, without the actor and the origin. */
  readonly entries: readonly Partial<AnyAuditLogEntry>[];
  /** The actor in the entries. Default: the email address of `as`. */
  readonly actor?: string;
}

export interface World {
  readonly service: TestService;
  readonly dashboard: TestDashboard;
  /** The OpenID Connect provider of the service. */
  readonly provider: TestProvider;
}

export type Prepare = (world: World) => Promise<Change>;

export const member = ({ userId, email }: Pick<Visitor, 'userId' | 'email'>) => ({
  targetType: 'member' as const,
  targetId: userId,
  targetLabel: email,
});

export const workspaceOf = async ({ dashboard }: World) => {
  const owner = await dashboard.owner();
  return { owner, workspaceId: owner.workspaceId, path: `/workspaces/${owner.workspaceId}` };
};

/** A change by the owner of a new workspace. */
export const byOwner =
  (
    prepare: (
      world: World,
      place: { readonly workspaceId: string; readonly path: string },
    ) => Promise<Omit<Change, 'as' | 'workspaceId'>>,
  ): Prepare =>
  async (world) => {
    const { owner, ...place } = await workspaceOf(world);
    return { as: owner, workspaceId: place.workspaceId, ...(await prepare(world, place)) };
  };

/** The method of a route. */
export const methodOf = (route: string): 'GET' | 'POST' | 'PATCH' | 'DELETE' =>
  route.slice(0, route.indexOf(' ')) as 'GET' | 'POST' | 'PATCH' | 'DELETE';
