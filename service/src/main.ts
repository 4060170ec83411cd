import cluster from 'node:cluster';
import type { PrimaryCalls, WorkerCalls } from './server/calls.ts';
import { prepareProcess } from './server/process.ts';
import { connectPeer } from './server/rpc.ts';

// A worker process of a service: it serves requests on a port that all workers share. The primary forks it early, so
// that the program is loaded when the database is ready, and then calls `run`.

prepareProcess();
// The terminal and the process manager signal all processes; the primary decides when a worker ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
// The primary has disconnected this worker: finish its requests. Or the primary is gone: exit at once.
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
};
const primary = connectPeer<PrimaryCalls>(process, local);
