import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Duration, type Load, type LoadRequest, runLoad } from './measure/load.ts';
import { cpuUsOf, type ProcessTree } from './measure/processes.ts';
import type { Sample } from './measure/rounds.ts';
import { connectDatabase, copyForBareServer, type Database } from './target/database.ts';
import { type Installation, type InstallationOptions, install } from './target/installation.ts';
import { type RunningService, startService } from './target/svcd.ts';
import { type DataSize, fillWorkspaces, type Workspace } from './target/workspaces.ts';

/** How long and how often each scenario measures. */
export interface Effort {
  readonly rounds: number;
  /** Of one measurement. */
  readonly duration: Duration;
  readonly connections: readonly number[];
}

/** A service with data under measurement. */
export interface Target {
  readonly installation: Installation;
  readonly service: RunningService;
  readonly database: Database;
  /** The largest first. */
  readonly workspaces: readonly Workspace[];
  /** All processes of the service, without PostgreSQL. */
  readonly serviceTree: ProcessTree;
  /** Sends requests to the service, and measures them. */
  readonly measure: (load: Omit<Load, 'origin'>) => Promise<Sample>;
  /** Measures other work. `tree`: the processes of Node.js that count. Default: the service. */
  readonly measureWork: (work: () => Promise<Work>, tree?: ProcessTree) => Promise<Sample>;
  /** Starts the service again with other settings. The embedded PostgreSQL also ends meanwhile. */
  readonly restart: (settings: Readonly<Record<string, string>>) => Promise<void>;
}

/** What some work has done. Without latencies if it consists of one request. */
interface Work {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  readonly p99Ms?: number;
}

/** Installs a service, starts it, and fills it. The stack ends it and removes everything. */
export async function createTarget(
  stack: AsyncDisposableStack,
  options: InstallationOptions,
  size: DataSize,
): Promise<Target> {
  const installation = await install(options);
  stack.defer(installation.remove);
  let running = await run(installation, {});
  const stop = async (): Promise<void> => {
    await running.database.client.end();
    await running.service.stop();
  };
  stack.defer(stop);
  const workspaces = await fillWorkspaces(installation, running.service, running.database, size);
  const serviceTree = (): ProcessTree => ({ root: running.service.pid, without: running.database.pid });
  const measureWork: Target['measureWork'] = (work, tree = serviceTree()) =>
    withCpu(tree, { root: running.database.pid }, work);
  return {
    installation,
    workspaces,
    get service() {
      return running.service;
    },
    get database() {
      return running.database;
    },
    get serviceTree() {
      return serviceTree();
    },
    measureWork,
    measure: (load) => measureWork(() => runLoad({ ...load, origin: running.service.origin })),
    restart: async (settings) => {
      await stop();
      running = await run(installation, settings);
    },
  };
}

async function run(installation: Installation, settings: Readonly<Record<string, string>>) {
  const service = await startService(installation, settings);
  const database = await connectDatabase(installation).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  return { service, database };
}

async function withCpu(node: ProcessTree, postgres: ProcessTree, work: () => Promise<Work>): Promise<Sample> {
  const before = [cpuUsOf(node), cpuUsOf(postgres)] as const;
  const { requests, seconds, p50Ms = Number.NaN, p95Ms = Number.NaN, p99Ms = Number.NaN } = await work();
  return {
    rate: requests / seconds,
    p50Ms,
    p95Ms,
    p99Ms,
    nodeUs: (cpuUsOf(node) - before[0]) / requests,
    postgresUs: (cpuUsOf(postgres) - before[1]) / requests,
  };
}

/** The bare limit, next to a service. */
export interface BareServer {
  readonly measure: (load: Omit<Load, 'origin'>) => Promise<Sample>;
  readonly [Symbol.dispose]: () => void;
}

/** Starts the bare server on its own copy of the data, which is made on the first start. */
export async function startBareServer({ database, measureWork }: Target): Promise<BareServer> {
  await copyForBareServer(database);
  const child = fork(new URL('target/bare.ts', import.meta.url), {
    env: { ...process.env, BARE_DATABASE_URL: database.url },
  });
  const ended = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`The bare server ended with ${code}.`)),
  );
  ended.catch(() => undefined);
  const [{ port }] = (await Promise.race([once(child, 'message'), ended])) as [AddressInfo];
  const origin = `http://127.0.0.1:${port}`;
  return {
    measure: (load) => measureWork(() => runLoad({ ...load, origin }), { root: child.pid ?? 0 }),
    [Symbol.dispose]: () => child.disconnect(),
  };
}

export const read = (path: string, { token }: Pick<Workspace, 'token'>): LoadRequest => ({
  method: 'GET',
  path,
  headers: { authorization: `Bearer ${token}` },
});

export const write = (path: string, { token }: Pick<Workspace, 'token'>, body: unknown): LoadRequest => ({
  method: 'POST',
  path,
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
