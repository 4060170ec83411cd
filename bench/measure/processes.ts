import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** CPU time and memory of processes, from /proc. */

const US_PER_TICK = 10_000;
/** Written to /proc/PID/clear_refs. */
const RESET_PEAK = '5';
const KIB_PER_MB = 1e6 / 1024;
/**
 * Fields of /proc/PID/stat, counted after the name of the program: the parent, then user and system time of the process
 * itself and of its ended children.
 */
const PARENT_FIELD = 1;
const CPU_FIELDS = [11, 12, 13, 14] as const;

/** A process with all its descendants. */
export interface ProcessTree {
  readonly root: number;
  /** A process of the tree that does not count, with its descendants. Default: none. */
  readonly without?: number;
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly cpuUs: number;
}

/** Undefined: the process has ended. */
export function readStat(pid: number): Stat | undefined {
  const text = readProcess(pid, 'stat');
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = CPU_FIELDS.reduce((sum, field) => sum + Number(fields[field]), 0);
  return { pid, parent: Number(fields[PARENT_FIELD]), cpuUs: ticks * US_PER_TICK };
}

/** The process ids of a tree, the root first. */
export const processesOf = (tree: ProcessTree): readonly number[] => statsOf(tree).map(({ pid }) => pid);

/**
 * The CPU time of a tree since its start. The time of a process that has ended is part of the time of its parent, which
 * waited for it, so nothing is lost and nothing counts twice.
 */
export const cpuUsOf = (tree: ProcessTree): number =>
  statsOf(tree).reduce((sum, { cpuUs }) => sum + cpuUs, 0);

/** Forgets the most memory that the processes of a tree have had so far. */
export function resetPeakMemory(tree: ProcessTree): void {
  for (const pid of processesOf(tree)) writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK);
}

/** The most memory that a process has had since its start or the last reset. 0: the process has ended. */
export const peakMemoryMb = (pid: number): number => memoryOf(pid, 'VmHWM');

/** The memory that a process has now. 0: the process has ended. */
export const memoryMb = (pid: number): number => memoryOf(pid, 'VmRSS');

function memoryOf(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readProcess(pid, 'status') ?? '')?.[1];
  return Number(kib ?? 0) / KIB_PER_MB;
}

function statsOf({ root, without }: ProcessTree): readonly Stat[] {
  const all = readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : [],
  );
  const children = Map.groupBy(all, ({ parent }) => parent);
  const withDescendants = (stat: Stat): readonly Stat[] =>
    stat.pid === without ? [] : [stat, ...(children.get(stat.pid) ?? []).flatMap(withDescendants)];
  return all.filter(({ pid }) => pid === root).flatMap(withDescendants);
}

function readProcess(pid: number, file: 'stat' | 'status'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return undefined;
    throw error;
  }
}
