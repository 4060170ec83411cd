import { elapsed } from '../harness/postgres/proxy.ts';
import type { Cluster } from './cluster.ts';
import type { Member } from './member.ts';

/** How long a frozen machine stays frozen. */
const FROZEN_MS = 10_000;
const POLL_MS = 20;

/** Of one monotonic clock. */
export interface Times {
  readonly damagedMs: number;
  /** When another member was the primary. Without a failover: when the damage ended. */
  readonly promotedMs: number;
  /**
   * When it confirmed a commit. A new primary that needs a synchronous standby confirms none until a standby follows it,
   * which can take Patroni a `loop_wait`.
   */
  readonly readyMs: number;
}

export interface FailoverCase {
  readonly name: string;
  /** The value of synchronous_standby_names. Default: ANY 1 of all members. */
  readonly synchronous?: (cluster: Cluster, primary: Member) => string;
  /** Whether every request is answered, as if nothing had happened. */
  readonly harmless?: true;
  /** Does the damage. Resolves when the database can work again. */
  readonly act: (cluster: Cluster, primary: Member) => Promise<Times>;
  /** Repairs what `act` has left. */
  readonly heal?: (primary: Member) => Promise<void>;
}

const standbysOf = ({ members }: Cluster, primary: Member): readonly Member[] =>
  members.filter((member) => member !== primary);

/** A commit that waits for a synchronous standby, as each one of the service. */
const COMMIT = "select pg_logical_emit_message(true, 'failover', 'a commit')";

/** Does the damage, and resolves when another member than the primary confirms commits. */
async function untilAnother(cluster: Cluster, primary: Member, damage: () => Promise<void>): Promise<Times> {
  const damagedMs = performance.now();
  const damaged = damage();
  const isPrimary = async (member: Member): Promise<boolean> => {
    const [row] = await cluster
      .query<{ standby: boolean }>(member, 'select pg_is_in_recovery() as standby')
      .catch(() => []);
    return row?.standby === false;
  };
  const watch = async (member: Member): Promise<Member> => {
    while (!(await isPrimary(member))) await elapsed(POLL_MS);
    return member;
  };
  const next = await Promise.race(standbysOf(cluster, primary).map(watch));
  const promotedMs = performance.now();
  while ((await cluster.query(next, COMMIT).catch(() => [])).length === 0) await elapsed(POLL_MS);
  const readyMs = performance.now();
  await damaged;
  return { damagedMs, promotedMs, readyMs };
}

/** Freezes a standby. It can be the one that confirms the commits. */
async function freezeStandby(cluster: Cluster, primary: Member): Promise<Times> {
  const [standby] = standbysOf(cluster, primary);
  if (standby === undefined) throw new Error('there is no standby');
  const damagedMs = performance.now();
  await standby.signalMachine('SIGSTOP');
  await elapsed(FROZEN_MS);
  await standby.signalMachine('SIGCONT');
  const readyMs = performance.now();
  return { damagedMs, promotedMs: readyMs, readyMs };
}

export const CASES: readonly FailoverCase[] = [
  {
    name: "kill -9 of the primary's machine",
    act: (cluster, primary) => untilAnother(cluster, primary, () => primary.killMachine()),
    heal: async (primary) => primary.start(),
  },
  {
    name: 'kill -9 of PostgreSQL on the primary',
    act: (cluster, primary) => untilAnother(cluster, primary, () => primary.killPostgres()),
  },
  {
    name: 'planned switchover',
    act: (cluster, primary) => {
      const [next] = standbysOf(cluster, primary);
      if (next === undefined) throw new Error('there is no standby');
      return untilAnother(cluster, primary, () => cluster.switchOver(primary, next));
    },
  },
  {
    name: "the primary's machine freezes (SIGSTOP)",
    act: (cluster, primary) => untilAnother(cluster, primary, () => primary.signalMachine('SIGSTOP')),
    heal: (primary) => primary.signalMachine('SIGCONT'),
  },
  {
    name: 'one of two standbys freezes for 10 s',
    harmless: true,
    act: freezeStandby,
  },
  {
    name: 'the only synchronous standby freezes for 10 s',
    synchronous: (cluster, primary) => `ANY 1 (${standbysOf(cluster, primary)[0]?.name})`,
    act: freezeStandby,
  },
];
