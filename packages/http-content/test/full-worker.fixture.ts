import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { limitConnections } from '../src/connections.ts';

// A process with a worker that takes one connection. Sends its port.

if (cluster.isPrimary) {
  const worker = cluster.fork();
  worker.once('listening', ({ port }) => process.send?.(port));
  process.once('disconnect', () => worker.process.kill('SIGKILL'));
} else {
  const server = createServer((_, response) => response.end('answered'));
  limitConnections(server, { max: 1 });
  server.listen(0, '127.0.0.1');
}
