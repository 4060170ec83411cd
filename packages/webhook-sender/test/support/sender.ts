import { onTestFinished } from 'vitest';
import {
  createResolver,
  createWebhookSender,
  parseNetworks,
  type SendResult,
  type WebhookRequest,
} from '../../src/index.ts';
import type { SenderOptions } from '../../src/sender.ts';
import { startDnsServer, type Zone } from './dns-server.ts';

/** The part of a result that a test compares. */
export const outcomeOf = (result: SendResult): string | number =>
  result.kind === 'response' ? result.status : result.reason;

export type Send = (url: string, request?: Partial<WebhookRequest>) => Promise<SendResult>;

/** A sender for receivers of the test. Default: they may be in 127.0.0.0/8 and ::1. */
export function testSender(options: Partial<SenderOptions> = {}): Send {
  const networks = parseNetworks('127.0.0.0/8, ::1');
  const sender = createWebhookSender({ networks, ...options });
  onTestFinished(() => sender.end());
  return (url, request) =>
    sender.send({ url, headers: {}, body: Buffer.from('{"a":"ä"}'), owner: 'endpoint', ...request });
}

/** A function that resolves names by a DNS server of the test, and remembers no answer. */
export const testResolver = async (zone: Zone) =>
  createResolver({ servers: [await startDnsServer(zone)], cacheMs: 0 });
