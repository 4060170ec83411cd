import type { Worker } from 'node:cluster';

/** A message of Node.js to a worker, or its answer. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

interface Handle {
  readonly close: () => void;
}

type Send = (message: ClusterMessage, handle?: Handle, ...others: readonly unknown[]) => boolean;

/**
 * Closes the connections that the primary has passed to a worker, but that the worker has not accepted when it ends. Node.js
 * keeps them open until the primary ends, so their clients would wait for ever. They are not passed to another worker:
 * this one may have read from them.
 */
export function closePassedConnections({ process: child }: Worker): void {
  // The process could not be started, and emits an `error` event.
  if (!child.connected) return;
  const passed = new Map<number | undefined, Handle>();
  const send = child.send.bind(child) as Send;
  child.send = ((message, handle, ...others) => {
    if (message.act === 'newconn' && handle !== undefined) passed.set(message.seq, handle);
    return send(message, handle, ...others);
  }) satisfies Send as typeof child.send;
  child.on('internalMessage', ({ ack }: ClusterMessage) => passed.delete(ack));
  child.once('exit', () => {
    for (const handle of passed.values()) handle.close();
  });
}
