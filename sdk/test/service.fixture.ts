import { createApp } from '@svc/service/app';
import { CONNECTIONS_MIN } from '@svc/service/config/limits';
import { createLanes } from '@svc/service/database/lanes';
import { pino } from 'pino';

/** A service process on the test's database and port. It tells its parent when it is ready, and ends with its parent. */
const { TEST_DATABASE_URL = '', TEST_SECRET = '', TEST_PORT = '0' } = process.env;
const app = createApp({
  lanes: createLanes({ url: TEST_DATABASE_URL, name: 'sdk test', onError: () => undefined }, CONNECTIONS_MIN),
  secrets: [TEST_SECRET],
  config: { trustProxy: false, failedAuthPerMinute: 100_000, publicUrl: 'http://svc.test' },
  log: pino({ level: 'silent' }),
});
await app.listen({ port: Number(TEST_PORT), host: '127.0.0.1' });
process.send?.(app.server.address());
process.once('disconnect', () => process.exit());
