import type { FastifyInstance } from 'fastify';
import type { DashboardContext } from '../context.ts';
import { registerDeliveries } from './deliveries.ts';
import { registerEndpoints } from './endpoints.ts';
import { registerPlot } from './plot.ts';

export function registerWebhooks(api: FastifyInstance, context: DashboardContext): void {
  registerEndpoints(api, context);
  registerDeliveries(api, context);
  registerPlot(api, context);
}
