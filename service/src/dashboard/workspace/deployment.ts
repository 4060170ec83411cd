import type { FastifyInstance } from 'fastify';
import type { DashboardContext } from '../context.ts';
import type { Deployment } from '../wire.ts';

/** What the operator has set for all workspaces, as far as their people should know. */
export function registerDeployment(api: FastifyInstance, { sessions, deployment }: DashboardContext): void {
  api.get('/deployment', async (request, reply): Promise<Deployment> => {
    await sessions.require(request, reply);
    return deployment;
  });
}
