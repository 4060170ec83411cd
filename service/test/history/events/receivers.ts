import type { ServerResponse } from 'node:http';
import { createSecretSealer } from '@svc/deployment-secrets/sealed';
import { waitFor } from '@svc/embedded-postgres/testing';
import type pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { inTransaction } from '../../../src/database/pool.ts';
import { createEndpoint } from '../../../src/webhooks/endpoints.ts';
import { onFileEnd } from '../../harness/cleanup.ts';
import { secret } from '../../harness/secrets.ts';
import { type Received, startReceiver } from '../../harness/webhooks/receiver.ts';
import { applyChange, noRecords } from '../copy.ts';
import { type Arrival, type Feed, type Receiver, wantedBy } from '../history.ts';
import type { Random } from '../random.ts';
import type { Recorder } from '../recorder.ts';

const CONTENT = ['content.created', 'content.updated', 'content.deleted'] as const;
const STATUSES = [500, 503, 302] as const;
/** A receiver that fails fails an event once, so that it is sent again after five seconds, not after five minutes. */
const PLANS = [
  { name: 'ordered', ordered: true, types: null, failing: 0, failuresMax: 0 },
  { name: 'unordered', ordered: false, types: CONTENT, failing: 0, failuresMax: 0 },
  { name: 'ordered and failing', ordered: true, types: null, failing: 0.1, failuresMax: 4 },
  { name: 'unordered and failing', ordered: false, types: null, failing: 0.03, failuresMax: 100 },
] as const;
/** Longer than a lease of a killed node, a timeout of a request and the pause after a failure together. */
const DELIVERED = { timeout: 60_000, interval: 50 } as const;

export interface ReceiverOptions {
  readonly pool: pg.Pool;
  /** The secret of the deployment. */
  readonly secret: string;
  readonly workspaceId: string;
  /** The endpoints get the changes after this position. */
  readonly after: string;
  readonly random: Random;
  /** Whether one request gets no response, until the service gives up after 15 seconds. */
  readonly hangs: boolean;
}

/** Receivers of webhooks, in this process, each with an endpoint. */
export interface Receivers {
  /** From now on, no receiver fails. */
  recover(): void;
  /** Waits until each endpoint has every change that it wants, and records what has arrived. */
  record(recorder: Recorder): Promise<void>;
}

export async function startReceivers(options: ReceiverOptions): Promise<Receivers> {
  const { pool, workspaceId, after } = options;
  let recovered = false;
  const started = await Promise.all(PLANS.map((plan) => startWithEndpoint(plan, options, () => recovered)));
  return {
    recover() {
      recovered = true;
    },
    async record(recorder) {
      const feed = recorder.feeds.find((each) => each.workspaceId === workspaceId);
      if (feed === undefined) throw new Error('the feed was not recorded before the receivers');
      await Promise.all(
        started.map(async ({ endpointId, receiver }) => {
          // What does not arrive is a finding of the checker.
          await untilDelivered(pool, endpointId, receiver, feed).catch(() => undefined);
          recorder.receivers.push({ ...receiver, arrivals: [...receiver.arrivals] });
          if (!receiver.ordered) return;
          const records = noRecords();
          const first = new Map(receiver.arrivals.map(({ id, body }) => [id, body]));
          for (const body of first.values()) applyChange(records, JSON.parse(body).data);
          recorder.copies.push({
            ...{ workspaceId, by: `webhooks (${receiver.name})`, after, changes: [...first.keys()] },
            ...{ records, expired: false },
          });
        }),
      );
    },
  };
}

async function startWithEndpoint(
  { failing, failuresMax, ...settings }: (typeof PLANS)[number],
  { pool, secret: deployment, workspaceId, after, random, hangs }: ReceiverOptions,
  hasRecovered: () => boolean,
): Promise<{ readonly endpointId: string; readonly receiver: Receiver }> {
  const arrivals: Arrival[] = [];
  const failed = new Set<string>();
  let mayHang = hangs && !settings.ordered && failuresMax > 0;
  const trusted = Promise.withResolvers<Webhook>();
  const failOnce = (changeId: string, response: ServerResponse): boolean => {
    if (hasRecovered() || failed.has(changeId) || failed.size >= failuresMax || random.next() >= failing)
      return false;
    failed.add(changeId);
    if (mayHang) mayHang = false;
    else if (random.next() < 0.3) response.destroy();
    else response.writeHead(random.pick(STATUSES), { location: '/' }).end('not now');
    return true;
  };
  const { url } = await startReceiver(async (response, { id, headers, body }) => {
    const signed = isSigned(await trusted.promise, headers, body);
    const accepted = !failOnce(JSON.parse(body).data.id, response);
    arrivals.push({ id, body, signed, accepted });
    if (accepted) response.writeHead(204).end();
  }, onFileEnd);
  const { name, ordered, types } = settings;
  const created = await inTransaction(pool, (client) =>
    createEndpoint(
      client,
      createSecretSealer([deployment]),
      workspaceId,
      { url, description: name, types, companyId: null, ordered },
      after,
    ),
  );
  if (created === undefined) throw new Error('the workspace has too many endpoints');
  trusted.resolve(new Webhook(secret(created.secret)));
  return {
    endpointId: created.id,
    receiver: { workspaceId, name, ordered, types, after, arrivals },
  };
}

/**
 * Whether the signature is that of the id, the time and the body. The time itself may be wrong, because the run steps the
 * clocks of the nodes.
 */
function isSigned(webhook: Webhook, headers: Received['headers'], body: string): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  const signed = webhook.sign(String(headers['webhook-id']), at, body);
  return headers['webhook-signature'] === signed;
}

/** Resolves when the position of an endpoint is at the last change that it wants, and nothing is to be sent again. */
async function untilDelivered(
  pool: pg.Pool,
  endpointId: string,
  receiver: Receiver,
  feed: Feed,
): Promise<void> {
  const last = wantedBy(receiver, feed).at(-1)?.id ?? receiver.after;
  await waitFor(async () => {
    const { rows } = await pool.query<{ position: string; pending: number }>(
      `select position, (select count(*)::int from webhook_deliveries d
         where d.workspace_id = e.workspace_id and d.endpoint_id = e.id and state = 'pending') as pending
       from webhook_endpoints e where id = $1`,
      [endpointId],
    );
    const [row] = rows;
    if (row === undefined || row.position < last || row.pending > 0)
      throw new Error('it has not got everything');
  }, DELIVERED);
}
