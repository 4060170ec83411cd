import type { FastifyInstance } from 'fastify';
import type { DashboardContext } from '../context.ts';
import { registerEndpoints } from './endpoints.ts';

export function registerWebhooks(api: FastifyInstance, context: DashboardContext): void {
  registerEndpoints(api, context);
}
