import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../config/clock.ts';
import { MINUTE_MS } from '../config/durations.ts';
import { clientAddress, type Trust } from './client-address.ts';

/** Also read by `svcd doctor`. */
export const PROXY_MISTAKES_METRIC = 'svc_proxy_mistakes_total';

/** What may be wrong with SVC_TRUST_PROXY or with a proxy; then all its clients share one address and its limits. */
export const PROXY_MISTAKES = {
  untrusted_sender:
    'a request came with X-Forwarded-For from an address that SVC_TRUST_PROXY does not trust: if that is your proxy, all ' +
    'clients count as one, and one of them can use up the limits of all; see "Behind a proxy" in docs/operations.md',
  no_address:
    'a trusted proxy sent an X-Forwarded-For whose entry for the client is no IP address: its clients count as one, and ' +
    'the audit log has no address of theirs; see "Behind a proxy" in docs/operations.md',
} as const;

export type ProxyMistake = keyof typeof PROXY_MISTAKES;

export interface ProxyWarnings {
  readonly trust: Trust;
  readonly registry: Registry;
  readonly log: FastifyBaseLogger;
  readonly clock: Clock;
  /**
   * Whether it is time to log this kind of mistake: the first time, and not again for long. It may ask another process,
   * so it is called at most once a minute for each kind.
   */
  readonly isDue: (mistake: ProxyMistake) => Promise<boolean>;
}

/** Counts requests that show such a mistake, and logs each kind when it is due. */
export function warnOfProxyMistakes(app: FastifyInstance, options: ProxyWarnings): void {
  const { trust, registry, log, clock, isDue } = options;
  const nextAskMs = new Map<ProxyMistake, number>();
  const counter = new Counter({
    name: PROXY_MISTAKES_METRIC,
    help: 'Requests whose X-Forwarded-For was ignored.',
    labelNames: ['mistake'],
    registers: [registry],
  });
  app.addHook('onRequest', async (request) => {
    if (request.headers['x-forwarded-for'] === undefined) return;
    const sender = request.socket.remoteAddress ?? '';
    const mistake = !trust(sender, 0)
      ? 'untrusted_sender'
      : clientAddress(request) === undefined
        ? 'no_address'
        : undefined;
    if (mistake === undefined) return;
    counter.inc({ mistake });
    const now = clock();
    if (now < (nextAskMs.get(mistake) ?? 0)) return;
    nextAskMs.set(mistake, now + MINUTE_MS);
    if (await isDue(mistake)) log.warn({ sender }, PROXY_MISTAKES[mistake]);
  });
}
