import { parseNetworks } from './networks.ts';

/** Reads SVC_WEBHOOK_NETWORKS. Adds a sentence to `mistakes` if a network is wrong. */
export function readNetworks(text: string, mistakes: string[]): string {
  try {
    parseNetworks(text);
  } catch (error) {
    mistakes.push(`SVC_WEBHOOK_NETWORKS: ${error instanceof Error ? error.message : String(error)}.`);
  }
  return text;
}
