import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { createApp } from '../../service/src/app.ts';
import { CONNECTIONS_MIN } from '../../service/src/config/limits.ts';
import { createLanes } from '../../service/src/database/lanes.ts';

/** The service's application in one process. Each message to it gets a reply: how long its event loop was blocked. */
const { BENCH_DATABASE_URL = '', BENCH_SECRET = '', BENCH_PORT = '' } = process.env;
const RESOLUTION_MS = 5;
const NS_PER_MS = 1e6;
const KIB_PER_MIB = 1024;

/** Measured since the last message. */
export interface Held {
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The most memory that the process has used since its start. */
  readonly memoryMib: number;
}

const log = pino({ level: 'warn' });
const app = createApp({
  lanes: createLanes(
    { url: BENCH_DATABASE_URL, name: 'bench', onError: (error) => log.error(error) },
    CONNECTIONS_MIN,
  ),
  secrets: [BENCH_SECRET],
  config: { trustProxy: false, failedAuthPerMinute: 300, publicUrl: `http://127.0.0.1:${BENCH_PORT}` },
  log,
});
await app.listen({ port: Number(BENCH_PORT), host: '127.0.0.1' });
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
process.on('message', () => {
  const held: Held = {
    p99Ms: delay.percentile(99) / NS_PER_MS,
    maxMs: delay.max / NS_PER_MS,
    memoryMib: process.resourceUsage().maxRSS / KIB_PER_MIB,
  };
  delay.reset();
  process.send?.(held);
});
process.send?.(app.server.address());
process.once('disconnect', () => process.exit());
