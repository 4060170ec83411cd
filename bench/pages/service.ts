import { pino } from 'pino';
import { createApp } from '../../service/src/app.ts';
import { createPool } from '../../service/src/database/pool.ts';

/** The service's application in one process, as a worker runs it. */
const { BENCH_DATABASE_URL = '', BENCH_SECRET = '' } = process.env;
const log = pino({ level: 'warn' });
const app = createApp({
  pool: createPool({ url: BENCH_DATABASE_URL, max: 4, name: 'bench', onError: (error) => log.error(error) }),
  secrets: [BENCH_SECRET],
  config: { trustProxy: false, failedAuthPerMinute: 300, publicUrl: 'http://127.0.0.1' },
  log,
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.(app.server.address());
process.once('disconnect', () => process.exit());
