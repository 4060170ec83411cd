import { totalmem } from 'node:os';

const BYTES_PER_MIB = 1024 * 1024;

const CONNECTIONS_LEAST = 200;
/** For commands, backups, psql, and those that PostgreSQL keeps for its superuser. */
const CONNECTIONS_BESIDE = 50;

/**
 * Shared buffers: an eighth of the memory, within these bounds. Measured with an import of a million audits: 256 MiB
 * instead of 1 GiB cost 15 % of the service's rate. A server for one command alone stays small.
 */
const SHARED_BUFFERS_MIB = { least: 32, most: 1024, mostForCommand: 224 } as const;
/** What the planner believes to be in some cache: half of the memory. */
const CACHE_SHARE = 0.5;
const SHARED_BUFFERS_SHARE = 0.125;

/**
 * The server's settings, each `name=value`. They are given on its command line, so that postgresql.conf stays
 * what initdb made and a new version of this program brings its own. `connections`: what the service needs; 0: a command alone is there.
 */
export function serverSettings(socketDirectory: string, connections: number): readonly string[] {
  const memory = memoryMib();
  return [
    // Reached by its socket alone; the directory's mode keeps others out.
    `unix_socket_directories=${socketDirectory}`,
    'unix_socket_permissions=0700',
    'listen_addresses=',
    'port=5432',
    `max_connections=${Math.max(CONNECTIONS_LEAST, connections + CONNECTIONS_BESIDE)}`,
    `shared_buffers=${sharedBuffersMib(memory, connections === 0)}MB`,
    `effective_cache_size=${Math.floor(memory * CACHE_SHARE)}MB`,
    'work_mem=16MB',
    'maintenance_work_mem=128MB',
    // An answer that was given is on the disk.
    'fsync=on',
    'synchronous_commit=on',
    // An import of a million records should not be a chain of checkpoints.
    'max_wal_size=2GB',
    'min_wal_size=256MB',
    'wal_buffers=16MB',
    'checkpoint_timeout=15min',
    // Many short statements on few cores: compiling and spreading them costs more than it brings, and
    // parallel workers need more /dev/shm than a container has.
    'jit=off',
    'max_parallel_workers_per_gather=0',
    'max_parallel_maintenance_workers=0',
    'random_page_cost=1.1',
    // Index-only scans need the visibility map soon after the rows came in.
    'autovacuum_vacuum_insert_scale_factor=0.05',
    'autovacuum_naptime=20s',
    'timezone=UTC',
    'log_timezone=UTC',
    'cluster_name=svc',
    // What concerns the server, not what a client's statement ran into: that would put data into the log.
    'log_min_messages=log',
    'log_min_error_statement=panic',
    'log_checkpoints=off',
    'log_line_prefix=%m [%p] ',
  ];
}

/** The memory that this machine, or this container, has. */
function memoryMib(): number {
  const limit = process.constrainedMemory();
  const total = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.floor(total / BYTES_PER_MIB);
}

function sharedBuffersMib(memory: number, forCommand: boolean): number {
  const { least, most, mostForCommand } = SHARED_BUFFERS_MIB;
  const share = Math.floor(memory * SHARED_BUFFERS_SHARE);
  return Math.min(Math.max(share, least), forCommand ? mostForCommand : most);
}
