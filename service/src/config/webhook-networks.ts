import { parseNetworks } from '@svc/webhook-sender';
import { errorMessage } from './errors.ts';

/** Reads SVC_WEBHOOK_NETWORKS. Adds a sentence to `mistakes` if a network is wrong. */
export function readNetworks(text: string, mistakes: string[]): string {
  try {
    parseNetworks(text);
  } catch (error) {
    mistakes.push(`SVC_WEBHOOK_NETWORKS: ${errorMessage(error)}.`);
  }
  return text;
}
