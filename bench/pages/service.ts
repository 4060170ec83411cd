import { pino } from 'pino';
import { createApp } from '../../service/src/app.ts';
import { createLanes } from '../../service/src/database/lanes.ts';

/** The service's application in one process, as a worker runs it. */
const { BENCH_DATABASE_URL = '', BENCH_SECRET = '' } = process.env;
/** The default of a process of the service. */
const CONNECTIONS = 12;
const log = pino({ level: 'warn' });
const app = createApp({
  lanes: createLanes(
    { url: BENCH_DATABASE_URL, name: 'bench', onError: (error) => log.error(error) },
    CONNECTIONS,
  ),
  secrets: [BENCH_SECRET],
  config: { trustProxy: false, failedAuthPerMinute: 300, publicUrl: 'http://127.0.0.1' },
  log,
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.(app.server.address());
process.once('disconnect', () => process.exit());
