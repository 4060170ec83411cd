import { totalmem } from 'node:os';
import { SOCKET_PORT } from '../directory/data-directory.ts';

const BYTES_PER_MIB = 1024 * 1024;

const CONNECTIONS_MIN = 200;
/** Connections for commands, backups and psql, and those that PostgreSQL reserves for its superuser. */
const CONNECTIONS_FOR_OTHERS = 50;

/**
 * Shared buffers are an eighth of the memory, within these bounds. Measured with an import of a million audits: with
 * 256 MiB instead of 1 GiB the service was 15 % slower. The server of a single command stays small.
 */
const SHARED_BUFFERS_MIB = { least: 32, most: 1024, mostForCommand: 224 } as const;
/** The share of the memory that the planner expects to be in a cache. */
const CACHE_SHARE = 0.5;
const SHARED_BUFFERS_SHARE = 0.125;

/**
 * The server's settings, each `name=value`, for its command line. So postgresql.conf has only what initdb and the
 * operator wrote, and a new version of this program can change its settings. `connections` is the number that the
 * service needs; 0 is for a command.
 */
export function serverSettings(socketDirectory: string, connections: number): readonly string[] {
  const memory = memoryMib();
  return [
    // Only the socket accepts connections. The mode of its directory keeps other users out.
    `unix_socket_directories=${socketDirectory}`,
    'unix_socket_permissions=0700',
    'listen_addresses=',
    `port=${SOCKET_PORT}`,
    `max_connections=${Math.max(CONNECTIONS_MIN, connections + CONNECTIONS_FOR_OTHERS)}`,
    `shared_buffers=${sharedBuffersMib(memory, connections === 0)}MB`,
    `effective_cache_size=${Math.floor(memory * CACHE_SHARE)}MB`,
    'work_mem=16MB',
    'maintenance_work_mem=128MB',
    // A commit is on the disk before the client gets its response.
    'fsync=on',
    'synchronous_commit=on',
    // Otherwise an import of a million records would cause one checkpoint after another.
    'max_wal_size=2GB',
    'min_wal_size=256MB',
    'wal_buffers=16MB',
    'checkpoint_timeout=15min',
    // For many short statements on few cores, compilation and parallel workers cost more than they save. Parallel
    // workers also need more /dev/shm than a container has.
    'jit=off',
    'max_parallel_workers_per_gather=0',
    'max_parallel_maintenance_workers=0',
    'random_page_cost=1.1',
    // Index-only scans need a current visibility map soon after rows were inserted.
    'autovacuum_vacuum_insert_scale_factor=0.05',
    'autovacuum_naptime=20s',
    'timezone=UTC',
    'log_timezone=UTC',
    'cluster_name=svc',
    // Logs events of the server only. Errors of a client's statement would put data into the log.
    'log_min_messages=log',
    'log_min_error_statement=panic',
    'log_checkpoints=off',
    'log_line_prefix=%m [%p] ',
  ];
}

/** The memory of this machine, or of this container if it has a limit. */
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
