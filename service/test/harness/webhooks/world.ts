import { createSecretSealer } from '@svc/deployment-secrets/sealed';
import { createWebhookSender, parseNetworks } from '@svc/webhook-sender';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { newestPosition } from '../../../src/changes/after.ts';
import { inTransaction } from '../../../src/database/pool.ts';
import { createChangeSignals, localChannel } from '../../../src/signals/signals.ts';
import { createEndpoint, type EndpointSettings } from '../../../src/webhooks/endpoints.ts';
import { type Engine, startEngine } from '../../../src/webhooks/engine.ts';
import { createTestService, TEST_SECRET } from '../service.ts';

export { type Receiver, startReceiver } from './receiver.ts';

/** Of the service and of the engines: a person's request wakes the engine. */
const channel = localChannel();
export const service = await createTestService({ signalChannel: channel });
export const { pool } = service;
const sealer = createSecretSealer([TEST_SECRET]);

interface SendOptions {
  /** Default: true. */
  readonly announced?: boolean;
}

interface WrittenChange {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
}

/** Writes to a workspace, and announces each write, as the API does. */
export interface Writer {
  readonly workspaceId: string;
  /** Creates a company and returns its id. */
  readonly createCompany: (name: string, options?: SendOptions) => Promise<string>;
  readonly send: (
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    options?: SendOptions,
  ) => Promise<string>;
  /** The items of GET /v1/changes, the oldest first. */
  readonly changes: () => Promise<readonly WrittenChange[]>;
}

const log = pino({ level: 'silent' });
const signals = createChangeSignals({ channel, connections: pool, log });

/** Default: of a new workspace. */
export async function newWriter(ofWorkspace?: string): Promise<Writer> {
  const workspaceId = ofWorkspace ?? (await service.workspace());
  const token = await service.token(workspaceId, { access: 'write' });
  const send: Writer['send'] = async (method, path, body, { announced = true } = {}) => {
    const answer = await service.request(token, path, {
      method,
      ...(body === undefined
        ? {}
        : {
            payload: body,
            headers: {
              'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
            },
          }),
    });
    if (answer.status >= 300) throw new Error(answer.text);
    if (announced) signals.announce(workspaceId);
    return answer.status === 204 ? '' : answer.json<{ id: string }>().id;
  };
  return {
    workspaceId,
    send,
    createCompany: (name, options) => send('POST', '/v1/companies', { name }, options),
    changes: async () =>
      (await service.request(token, '/v1/changes?sort=created-ascending&limit=100')).json<{
        data: readonly WrittenChange[];
      }>().data,
  };
}

/** Creates an endpoint that gets the changes from now on. Default: ordered, with all changes. */
export async function newEndpoint(
  workspaceId: string,
  settings: Partial<EndpointSettings> & { readonly url: string },
) {
  const position = await newestPosition(pool, workspaceId);
  const all = { description: '', types: null, companyId: null, ordered: true, ...settings };
  const created = await inTransaction(pool, (client) =>
    createEndpoint(client, sealer, workspaceId, all, position),
  );
  if (created === undefined) throw new Error('there are too many endpoints');
  return created;
}

/** Starts an engine. It stops at the end of the test, which also removes all endpoints. */
export function newEngine({ lookAgainMs = 60_000 } = {}): Engine {
  const sender = createWebhookSender({ networks: parseNetworks('127.0.0.0/8'), timeoutMs: 15_000 });
  const engine = startEngine({
    connections: pool,
    sealer,
    send: sender.send,
    signals,
    log,
    now: Date.now,
    random: () => 0.5,
    lookAgainMs,
  });
  onTestFinished(async () => {
    await engine.stop();
    sender.end();
    await pool.query('delete from webhook_endpoints');
  });
  return engine;
}

/** The row of an endpoint. */
export async function endpointRow(id: string) {
  const { rows } = await pool.query<{
    position: string;
    enabled: boolean;
    disabled_reason: string | null;
    failing: boolean;
    lease_owner: string | null;
  }>(
    `select position, enabled, disabled_reason, failing_since is not null as failing, lease_owner
     from webhook_endpoints where id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('there is no such endpoint');
  return row;
}

/** The deliveries of an endpoint, in the order of the changes. */
export async function deliveriesOf(id: string) {
  const { rows } = await pool.query<{
    event_id: string;
    state: string;
    attempts: number;
    status: number | null;
    response: string | null;
    failure: string | null;
    pause: number | null;
  }>(
    `select event_id, state, attempts, status, response, failure,
       round(extract(epoch from next_attempt_at - attempted_at))::int as pause
     from webhook_deliveries where endpoint_id = $1 order by event_id`,
    [id],
  );
  return rows;
}

/** Makes everything that waits due, and wakes the endpoints of the workspace. */
export async function makeDue(workspaceId: string): Promise<void> {
  await pool.query(
    `update webhook_deliveries set next_attempt_at = now() where state = 'pending' and workspace_id = $1`,
    [workspaceId],
  );
  signals.announce(workspaceId);
}
