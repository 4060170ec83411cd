import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isProcessAlive } from '@svc/embedded-postgres/testing';
import { onFileEnd } from '../harness/cleanup.ts';
import { POSTGRESQL_15 } from '../harness/postgres/external-15.ts';
import { freePort } from '../history/node.ts';
import { descendantsOf, signalAll, untilEnded } from '../history/processes.ts';
import { endProgram, startProgram, USER } from './programs.ts';

/** What Patroni and PostgreSQL need to know of the cluster. */
export interface ClusterSettings {
  readonly directory: string;
  readonly etcdPort: number;
  /** Of the superuser. */
  readonly password: string;
  /** Patroni's settings of the whole cluster. */
  readonly dcs: object;
}

/** One machine of the cluster: Patroni and its PostgreSQL. */
export interface Member {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly logFile: string;
  start(): void;
  /** kill -9 of Patroni and of all processes of PostgreSQL, as when the machine loses its power. */
  killMachine(): Promise<void>;
  /** kill -9 of all processes of PostgreSQL. Patroni continues. */
  killPostgres(): Promise<void>;
  /** SIGSTOP or SIGCONT of Patroni and of all processes of PostgreSQL. */
  signalMachine(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
}

export async function createMember(name: string, settings: ClusterSettings): Promise<Member> {
  const { directory, password } = settings;
  const [port, restPort] = [await freePort(), await freePort()];
  const home = join(directory, name);
  const dataDirectory = join(home, 'data');
  const logFile = join(home, 'log');
  const configFile = join(home, 'patroni.json');
  await mkdir(home);
  if (USER !== undefined) await chown(home, USER.uid, USER.gid);
  const account = { username: 'postgres', password };
  // JSON is YAML.
  const config = {
    scope: 'svc',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { host: `127.0.0.1:${settings.etcdPort}` },
    bootstrap: {
      dcs: settings.dcs,
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
      pg_hba: ['host replication all 127.0.0.1/32 scram-sha-256', 'host all all 127.0.0.1/32 scram-sha-256'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      bin_dir: POSTGRESQL_15,
      data_dir: dataDirectory,
      pgpass: join(home, 'pgpass'),
      authentication: { superuser: account, replication: account, rewind: account },
      parameters: { unix_socket_directories: home, logging_collector: 'off' },
    },
    watchdog: { mode: 'off' },
  };
  await writeFile(configFile, JSON.stringify(config, null, 2), { mode: 0o644 });

  let patroni: ReturnType<typeof startProgram> | undefined;
  /** The processes of PostgreSQL. Empty: it does not run. */
  const postgres = async (): Promise<readonly number[]> => {
    const text = await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '');
    const postmaster = Number.parseInt(text, 10);
    if (!(postmaster > 0) || !isProcessAlive(postmaster)) return [];
    return [postmaster, ...(await descendantsOf(postmaster))];
  };
  const killPostgres = async (): Promise<void> => {
    const pids = await postgres();
    signalAll(pids, 'SIGKILL');
    await untilEnded(pids);
  };
  const killMachine = async (): Promise<void> => {
    const pids = await postgres();
    if (patroni !== undefined) signalAll(await descendantsOf(patroni.pid), 'SIGKILL');
    const ended = patroni === undefined ? undefined : endProgram(patroni);
    signalAll(pids, 'SIGKILL');
    await ended;
    await untilEnded(pids);
  };
  onFileEnd(killMachine);
  return {
    name,
    port,
    restPort,
    logFile,
    killMachine,
    killPostgres,
    start() {
      patroni = startProgram('patroni', [configFile], { logFile, directory: home });
    },
    async signalMachine(signal) {
      const pids = [...(patroni === undefined ? [] : [patroni.pid]), ...(await postgres())];
      signalAll(pids, signal);
    },
  };
}
