import cluster from 'node:cluster';
import { enableCompileCache } from 'node:module';
import { ignoreBrokenPipes } from './log/outputs.ts';
import type { PrimaryCalls, WorkerCalls } from './server/calls.ts';
import { COMPILE_CACHE } from './server/compile-cache.ts';
import { connectPeer } from './server/rpc.ts';

// One worker process of a service: it serves requests on the port that it shares with its siblings. The primary
// forks it early, so that it has read the program by the time the database is ready, and tells it when to run.

enableCompileCache(COMPILE_CACHE);
ignoreBrokenPipes();
// The terminal and the process manager signal all processes of a service; the primary decides when a worker ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
// The primary has let go of this process, which ends in order; or it is gone, and nothing of it may stay behind.
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
