import { pino } from 'pino';
import { startEmbedded, useEmbedded } from '../src/index.ts';

// A process that uses an embedded server: `node embedded.fixture.ts <service|command> <data directory> <purpose>`.
// Prints a JSON line per message: its log, then {ready, …} or {refused}. Stops when its input ends.
const [kind, dataDir = '', purpose = ''] = process.argv.slice(2);
// The start kills this process, as by kill -9, when it reaches this step.
const killAt = process.env['KILL_AT'];
const print = (value: unknown): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);
const write = (line: string): void => {
  process.stdout.write(line);
  const { step } = JSON.parse(line) as { step?: string };
  if (step !== undefined && step === killAt) process.kill(process.pid, 'SIGKILL');
};
const log = pino({ base: null, timestamp: false, level: 'debug' }, { write });

try {
  const start = kind === 'service' ? startEmbedded : useEmbedded;
  const began = performance.now();
  const embedded = await start({ dataDir, purpose, log });
  const { url, version, pid, adopted } = embedded;
  print({ ready: true, url, version, pid, adopted, ms: performance.now() - began });
  void embedded.failed.then((error) => print({ failed: error.message }));
  process.stdin.resume();
  await new Promise((resolve) => process.stdin.once('end', resolve));
  await embedded.stop();
  print({ stopped: true });
} catch (error) {
  print({ refused: (error as Error).name, message: (error as Error).message });
}
