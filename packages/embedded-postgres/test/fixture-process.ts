import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Upgraded } from '../src/index.ts';

// Real processes for the tests of this folder.

const FIXTURE = fileURLToPath(new URL('./embedded.fixture.ts', import.meta.url));

/** One line of the fixture's output: a log message, or the outcome of its start. */
export type Message = {
  readonly msg?: string;
  readonly ready?: boolean;
  readonly url?: string;
  readonly pid?: number;
  readonly adopted?: boolean;
  readonly version?: string;
  readonly ms?: number;
  /** The name of the error that the start failed with, and its message. */
  readonly refused?: string;
  readonly message?: string;
  readonly failed?: string;
  readonly stopped?: boolean;
  readonly step?: string;
  /** An upgrade is done, or null if there was nothing to do. */
  readonly upgraded?: Upgraded | null;
  readonly phase?: string;
  /** An upgrade has copied a row and waits. */
  readonly copying?: boolean;
};

export type FixtureProcess = {
  readonly pid: number;
  /** Resolves with the signal that ended it, if one did. */
  readonly ended: Promise<NodeJS.Signals | null>;
  /** What it has printed so far. */
  readonly messages: readonly Message[];
  /** The first message that fits, printed already or later. Rejects if the process ends without one. */
  readonly until: (fits: (message: Message) => boolean) => Promise<Message>;
  /** The outcome: `ready`, `upgraded` or `refused`. */
  readonly outcome: Promise<Message>;
  /** Stops it as a service stops, and waits for its end. */
  readonly stop: () => Promise<void>;
  /** Ends an upgrade as a signal ends the command. */
  readonly signal: () => void;
  /** kill -9, and waits for its end. */
  readonly kill: () => Promise<void>;
};

export type FixtureOptions = {
  readonly purpose?: string;
  readonly uid?: number;
  readonly gid?: number;
  /** A command that runs the process, such as setpriv with its arguments. */
  readonly wrapper?: readonly string[];
  /** The step of its start at which the process kills itself. */
  readonly killAt?: string;
  /** More environment variables. */
  readonly env?: Readonly<Record<string, string>>;
};

/** Starts a process that uses the embedded server of this directory, as a service or as a command. */
export function spawnFixture(
  kind: 'service' | 'command',
  dataDir: string,
  { purpose = `svcd ${kind}`, ...options }: FixtureOptions = {},
): FixtureProcess {
  return spawnProgram([FIXTURE, kind, dataDir, purpose], options);
}

/** Starts a Node.js program that prints messages. */
export function spawnProgram(
  command: readonly string[],
  { wrapper = [], killAt, env = {}, uid, gid }: Omit<FixtureOptions, 'purpose'> = {},
): FixtureProcess {
  const [program = '', ...args] = [...wrapper, process.execPath, ...command];
  const child = spawn(program, args, {
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
    env: { ...process.env, ...env, ...(killAt === undefined ? {} : { KILL_AT: killAt }) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  let open = true;
  const wake = (): void => {
    for (const look of waiting) look();
  };
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    messages.push(JSON.parse(line) as Message);
    wake();
  });
  const closed = once(child, 'close').then(() => {
    open = false;
    wake();
  });
  const ended = once(child, 'exit').then((exit) => exit[1] as NodeJS.Signals | null);
  const until = (fits: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = messages.find(fits);
        if (found !== undefined) resolve(found);
        else if (open) return void waiting.add(look);
        else reject(new Error(`the process ended after ${JSON.stringify(messages)}`));
        waiting.delete(look);
      };
      look();
    });
  const outcome = until(
    ({ ready, refused, upgraded }) => ready !== undefined || refused !== undefined || upgraded !== undefined,
  );
  outcome.catch(() => undefined);
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await closed;
  };
  const signal = (): void => void child.stdin.write('signal\n');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  const fixture = { pid: child.pid ?? 0, ended, messages, until, outcome, stop, signal, kill };
  running.add(fixture);
  return fixture;
}

/** Whether a process of this user can run the fixture, which it must be able to read. */
export async function mayRunFixture({ uid, gid }: { uid: number; gid: number }): Promise<boolean> {
  const program = `require('node:fs').accessSync(${JSON.stringify(FIXTURE)})`;
  return promisify(execFile)(process.execPath, ['-e', program], { uid, gid, cwd: '/' }).then(
    () => true,
    () => false,
  );
}

const running = new Set<FixtureProcess>();

/** Kills the processes that a test has left running. */
export async function killFixtures(): Promise<void> {
  await Promise.all([...running].map((each) => each.kill()));
  running.clear();
}
