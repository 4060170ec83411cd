import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { waitFor } from '@svc/embedded-postgres/testing';
import { type ServiceProcess, startSvcd } from '../harness/process.ts';
import { descendantsOf, signalAll } from './processes.ts';

/** A node of the service: a primary and its workers. It has the same port after a restart. */
export interface ServiceNode {
  readonly url: string;
  start(): Promise<void>;
  /** Resolves when it serves requests, and its database does. */
  ready(): Promise<void>;
  /** kill -9 of the primary. Its workers then end by themselves. */
  kill(): Promise<void>;
  /** The pids of its workers. */
  workers(): Promise<readonly number[]>;
  /** SIGSTOP or SIGCONT of the primary and its workers. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Sets the clock of its processes to the machine's clock plus this many milliseconds. */
  stepClock(ms: number): Promise<void>;
  stop(): Promise<void>;
}

export interface NodeOptions {
  readonly env: Readonly<Record<string, string>>;
  /** For files of this node. */
  readonly directory: string;
  /** Modules that are loaded before the service, such as a planted fault. */
  readonly imports: readonly string[];
}

/** The longest time until a node has recovered. */
export const RECOVERY = { timeout: 45_000, interval: 100 } as const;

/** Reads the offset of the clock from a file, so that it can change while the process runs. */
const STEPPED_CLOCK = (file: string): string =>
  `data:text/javascript,${encodeURIComponent(`
    import { readFileSync } from 'node:fs';
    const { now } = Date;
    let step = 0;
    const read = () => { step = Number(readFileSync(${JSON.stringify(file)}, 'utf8')); };
    read();
    setInterval(read, 100).unref();
    Date.now = () => now() + step;`)}`;

export async function createNode(
  name: string,
  { env, directory, imports }: NodeOptions,
): Promise<ServiceNode> {
  const clockFile = join(directory, `${name}.clock`);
  await writeFile(clockFile, '0');
  const port = await freePort();
  const options = [STEPPED_CLOCK(clockFile), ...imports].map((url) => `--import=${url}`).join(' ');
  let running: ServiceProcess | undefined;
  const pidOf = (): number => {
    if (running === undefined) throw new Error(`node ${name} does not run`);
    return running.pid;
  };
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    async start() {
      running = await startSvcd({ ...env, SVC_PORT: String(port), NODE_OPTIONS: options });
    },
    ready: () =>
      waitFor(async () => {
        const { status } = await fetch(`${url}/readyz`);
        if (status !== 200) throw new Error(`the node answers ${status}`);
      }, RECOVERY),
    async kill() {
      await running?.stop('SIGKILL');
    },
    workers: () => descendantsOf(pidOf()),
    async signal(signal) {
      const workers = await descendantsOf(pidOf());
      signalAll(signal === 'SIGSTOP' ? [pidOf(), ...workers] : [...workers, pidOf()], signal);
    },
    stepClock: (ms) => writeFile(clockFile, String(ms)),
    async stop() {
      await running?.stop();
    },
  };
}

/** A port of 127.0.0.1 that no server uses now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
