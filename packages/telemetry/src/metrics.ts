import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the request gets 429 or 503. Undefined: no reason is known. */
    refusal: string | undefined;
  }
}

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const REFUSALS: ReadonlySet<number> = new Set([429, 503]);

/** Measures the process and its requests. Labels are routes and reasons of this program, never paths or keys. */
export function measureRequests(
  app: FastifyInstance,
  registry: Registry,
  waitedMs: (request: FastifyRequest) => number,
): void {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Responses that were sent to the end.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const running = new Gauge({
    name: 'svc_http_requests_running',
    help: 'Requests whose clients wait for the end of the response, such as imports, exports and waits for changes.',
    labelNames: ['route'],
    registers,
  });
  const durations = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from request to response, without the time that a request waits for changes.',
    labelNames: ['route'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const refused = new Counter({
    name: 'svc_http_refused_requests_total',
    help: 'Responses 429 and 503, by reason: the code of the error, or for 503 busy or database.',
    labelNames: ['reason'],
    registers,
  });
  const routeOf = ({ routeOptions }: FastifyRequest): string => routeOptions.url ?? 'unknown';
  app.decorateRequest('refusal', undefined);
  app.addHook('onRequest', async (request, { raw }) => {
    // The client has disconnected during an earlier hook.
    if (raw.destroyed) return;
    const route = routeOf(request);
    running.inc({ route });
    raw.once('close', () => running.dec({ route }));
  });
  // Fastify does not call it if the client disconnects before the end of the response.
  app.addHook('onResponse', async (request, reply) => {
    const route = routeOf(request);
    requests.inc({ method: request.method, route, status: reply.statusCode });
    durations.observe({ route }, (reply.elapsedTime - waitedMs(request)) / 1000);
    if (REFUSALS.has(reply.statusCode)) refused.inc({ reason: request.refusal ?? 'other' });
  });
}

/** The connections of a lane to the database. */
interface LaneState {
  readonly lane: string;
  readonly open: number;
  readonly idle: number;
  /** Statements and transactions that wait for a connection. Undefined: nothing waits in this lane. */
  readonly waiting: number | undefined;
}

/** Measures the connections to the database. */
export function measureLanes(registry: Registry, lanes: () => readonly LaneState[]): void {
  const registers = [registry];
  new Gauge({
    name: 'svc_database_waiting_requests',
    help: 'Statements and transactions that wait for a database connection of their lane.',
    labelNames: ['lane'],
    registers,
    collect() {
      for (const { lane, waiting } of lanes()) if (waiting !== undefined) this.set({ lane }, waiting);
    },
  });
  new Gauge({
    name: 'svc_database_connections',
    help: 'Open database connections by lane and state: used or idle.',
    labelNames: ['lane', 'state'],
    registers,
    collect() {
      for (const { lane, open, idle } of lanes()) {
        this.set({ lane, state: 'used' }, open - idle);
        this.set({ lane, state: 'idle' }, idle);
      }
    },
  });
}

/** Runs the tasks as they are, and measures when each succeeded last, and how often it failed. */
export function measureJobs<Task extends (...values: never[]) => unknown>(
  registry: Registry,
  tasks: Readonly<Record<string, Task>>,
): Record<string, Task> {
  const shared = { labelNames: ['task'], registers: [registry] };
  const succeeded = new Gauge({
    name: 'svc_job_last_success_timestamp_seconds',
    help: 'When a job succeeded last at this node, or when the node started. A job runs at one of the nodes, whichever is first.',
    ...shared,
  });
  const runs = new Counter({
    name: 'svc_job_runs_total',
    help: 'Runs of a job at this node, by outcome: succeeded or failed.',
    labelNames: ['task', 'outcome'],
    registers: [registry],
  });
  const measured = ([name, task]: readonly [string, Task]): readonly [string, Task] => {
    for (const outcome of ['succeeded', 'failed']) runs.inc({ task: name, outcome }, 0);
    // Without a value, no alert could see that a job never runs.
    succeeded.set({ task: name }, Date.now() / 1000);
    const run = async (...values: Parameters<Task>): Promise<unknown> => {
      try {
        const result = await task(...values);
        succeeded.set({ task: name }, Date.now() / 1000);
        runs.inc({ task: name, outcome: 'succeeded' });
        return result;
      } catch (error) {
        runs.inc({ task: name, outcome: 'failed' });
        throw error;
      }
    };
    return [name, run as Task];
  };
  return Object.fromEntries(Object.entries(tasks).map(measured));
}

type Sent = { readonly kind: 'response'; readonly status: number } | { readonly kind: 'failure' };

/** Counts what comes of requests to the receivers of webhooks. */
export function countDeliveries<Request, Result extends Sent>(
  registry: Registry,
  send: (request: Request) => Promise<Result>,
): (request: Request) => Promise<Result> {
  const attempts = new Counter({
    name: 'svc_webhook_attempts_total',
    help: 'Requests to receivers of webhooks, by outcome: delivered, refused (another status than 2xx) or failed (no response).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['delivered', 'refused', 'failed']) attempts.inc({ outcome }, 0);
  return async (request) => {
    const result = await send(request);
    const isDelivered = result.kind === 'response' && result.status >= 200 && result.status < 300;
    attempts.inc({ outcome: isDelivered ? 'delivered' : result.kind === 'response' ? 'refused' : 'failed' });
    return result;
  };
}
