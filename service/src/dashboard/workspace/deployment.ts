import type { FastifyInstance } from 'fastify';
import type { Sessions } from '../requests/session.ts';
import type { Deployment } from '../wire.ts';

export interface DeploymentRoutes {
  readonly sessions: Sessions;
  readonly deployment: Deployment;
}

/** What the operator has set for all workspaces, as far as their people should know. */
export function registerDeployment(api: FastifyInstance, { sessions, deployment }: DeploymentRoutes): void {
  api.get('/deployment', async (request, reply): Promise<Deployment> => {
    await sessions.require(request, reply);
    return deployment;
  });
}
