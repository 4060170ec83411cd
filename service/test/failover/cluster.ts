import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fastDirectory, temporaryDirectory, waitFor } from '@svc/embedded-postgres/testing';
import pg from 'pg';
import { freePort } from '../history/node.ts';
import { createMember, type Member } from './member.ts';
import { startProgram, USER } from './programs.ts';

/** The settings that docs/high-availability.md recommends, with the shortest times that Patroni accepts. */
const ANY = 'ANY 1 (n1,n2,n3)';
const DCS = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 5,
  maximum_lag_on_failover: 1_048_576,
  primary_start_timeout: 0,
  postgresql: {
    use_pg_rewind: true,
    parameters: {
      synchronous_standby_names: ANY,
      wal_sender_timeout: '5s',
      wal_receiver_timeout: '5s',
      wal_retrieve_retry_interval: '500ms',
      max_connections: 150,
      shared_buffers: '64MB',
    },
  },
} as const;
/** A member may have to copy all data. */
const HEALTHY = { timeout: 90_000, interval: 200 } as const;

/** PostgreSQL 15 on three machines with Patroni, and etcd. Everything listens on 127.0.0.1. */
export interface Cluster {
  readonly members: readonly Member[];
  /** The port of HAProxy that leads to the primary. */
  readonly proxyPort: number;
  /** Resolves with the primary once both standbys replicate from it. */
  healthy(): Promise<Member>;
  /** Runs a statement as the superuser on a member. */
  query<Row extends pg.QueryResultRow>(member: Member, text: string): Promise<readonly Row[]>;
  /** Changes `synchronous_standby_names`, and waits until the primary has it. */
  setSynchronous(names: string): Promise<void>;
  /** Hands the role of the primary over, as planned. */
  switchOver(from: Member, to: Member): Promise<void>;
  readonly any: string;
}

export async function startCluster(): Promise<Cluster> {
  const directory = await temporaryDirectory(await fastDirectory());
  if (USER !== undefined) await chown(directory, USER.uid, USER.gid);
  const password = randomBytes(16).toString('hex');
  const etcdPort = await startEtcd(directory);
  const settings = { directory, etcdPort, password, dcs: DCS };
  const members: Member[] = [];
  for (const name of ['n1', 'n2', 'n3']) members.push(await createMember(name, settings));
  const query: Cluster['query'] = async <Row extends pg.QueryResultRow>({ port }: Member, text: string) => {
    const client = new pg.Client({
      ...{ host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' },
      ...{ connectionTimeoutMillis: 2_000, query_timeout: 2_000 },
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(text)).rows;
    } finally {
      client.connection.stream.destroy();
    }
  };
  const healthy = (): Promise<Member> =>
    waitFor(async () => {
      for (const member of members) {
        const [row] = await query<{ standbys: number }>(
          member,
          `select count(*)::int as standbys from pg_stat_replication
           where not pg_is_in_recovery() and state = 'streaming'`,
        ).catch(() => []);
        if (row?.standbys === members.length - 1) return member;
      }
      throw new Error(`the cluster is not healthy\n${await lastLines(members)}`);
    }, HEALTHY);
  for (const member of members) member.start();
  await healthy();
  const proxyPort = await startHaproxy(directory, members);
  return {
    members,
    proxyPort,
    any: ANY,
    healthy,
    query,
    async setSynchronous(names) {
      const primary = await healthy();
      await call(primary, 'PATCH', '/config', {
        postgresql: { parameters: { synchronous_standby_names: names } },
      });
      await waitFor(async () => {
        const [row] = await query<{ names: string }>(
          primary,
          `select current_setting('synchronous_standby_names') as names`,
        );
        if (row?.names !== names) throw new Error(`the primary has ${row?.names}`);
      });
    },
    switchOver: (from, to) => call(from, 'POST', '/switchover', { leader: from.name, candidate: to.name }),
  };
}

async function call({ restPort }: Member, method: string, path: string, body: object): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${restPort}${path}`, { method, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`Patroni answers ${answer.status}: ${await answer.text()}`);
}

async function lastLines(members: readonly Member[]): Promise<string> {
  const logs = members.map(async ({ name, logFile }) => {
    const text = await readFile(logFile, 'utf8').catch(() => 'no log');
    return `${name}:\n${text.split('\n').slice(-12).join('\n')}`;
  });
  return (await Promise.all(logs)).join('\n');
}

async function startEtcd(directory: string): Promise<number> {
  const home = join(directory, 'etcd');
  await mkdir(home);
  if (USER !== undefined) await chown(home, USER.uid, USER.gid);
  const [port, peerPort] = [await freePort(), await freePort()];
  const [clients, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  startProgram(
    'etcd',
    [
      ...['--name', 'e', '--data-dir', join(home, 'data'), '--unsafe-no-fsync'],
      ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
      ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
      ...['--initial-cluster', `e=${peers}`],
    ],
    { logFile: join(home, 'log'), directory: home },
  );
  await waitFor(async () => {
    const { status } = await fetch(`${clients}/health`);
    if (status !== 200) throw new Error(`etcd answers ${status}`);
  });
  return port;
}

/** HAProxy as docs/high-availability.md configures it: its port leads to the member that Patroni calls the primary. */
async function startHaproxy(directory: string, members: readonly Member[]): Promise<number> {
  const port = await freePort();
  const file = join(directory, 'haproxy.cfg');
  const servers = members.map(
    (member) => `  server ${member.name} 127.0.0.1:${member.port} check port ${member.restPort}`,
  );
  const config = `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen postgresql
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
  await writeFile(file, config, { mode: 0o644 });
  startProgram('haproxy', ['-db', '-f', file], { logFile: join(directory, 'haproxy.log'), directory });
  return port;
}
