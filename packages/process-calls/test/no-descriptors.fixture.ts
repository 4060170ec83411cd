import cluster from 'node:cluster';
import { openSync } from 'node:fs';
import { closePassedConnections } from '../src/passed-connections.ts';

/** Forks a worker without a free file descriptor, and prints the code of the error that it emits. */
try {
  for (;;) openSync('/dev/null', 'r');
} catch {
  // The last descriptor is taken.
}
const worker = cluster.fork();
worker.on('error', (error) => {
  process.stdout.write('code' in error ? String(error.code) : error.message);
  process.exit();
});
closePassedConnections(worker);
