import cluster from 'node:cluster';
import { connectPeer } from '@svc/process-calls';
import type { PrimaryCalls, WorkerCalls } from './server/calls.ts';
import { prepareProcess } from './server/process.ts';

// A worker process of a service. It serves requests on a port that all workers share. The primary forks it before the
// database is ready, so that the program is already loaded when the primary calls `run`.

prepareProcess();
// The terminal and the process manager signal all processes. A worker ignores these signals: the primary ends it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
// If the primary has disconnected this worker, finish its requests. If the primary is gone, exit at once.
process.on('disconnect', () => {
  const ended = cluster.worker?.exitedAfterDisconnect === true ? local.close(null) : undefined;
  void Promise.allSettled([ended]).then(() => process.exit(0));
});

const worker = import('./server/worker.ts').then(({ createWorker }) => createWorker(primary));
const local: WorkerCalls = {
  run: async (settings) => (await worker).run(settings),
  close: async () => (await worker).close(null),
  cut: async () => (await worker).cut(null),
  collect: async () => (await worker).collect(null),
  wake: async (topics) => (await worker).wake(topics),
};
const primary = connectPeer<PrimaryCalls>(process, local);
