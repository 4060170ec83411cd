import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { findEmbedded } from '@svc/embedded-postgres';
import { dataDirectory, waitFor } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { onFileEnd } from '../harness/cleanup.ts';
import { interrupt, startSvcd } from '../harness/process.ts';

const ANSWER_MS = 3_000;
const CONNECTIONS = 6;

/** The process ids of a service's workers. */
async function workersOf(pid: number): Promise<readonly number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'))
    .trim()
    .split(' ')
    .map(Number);
  const commands = await Promise.all(children.map((child) => readFile(`/proc/${child}/cmdline`, 'utf8')));
  return children.filter((_, i) => commands[i]?.includes('main.ts'));
}

// Only Linux lists the children of a process.
test.runIf(process.platform === 'linux')(
  'a frozen worker delays neither the metrics nor the end of the service for long',
  async () => {
    const dataDir = await dataDirectory();
    const service = await startSvcd({ SVC_DATA_DIR: dataDir, SVC_WORKERS: '2' });
    const [frozen = 0] = await workersOf(service.pid);
    onFileEnd(async () => void (await service.stop('SIGKILL')));
    const answer = (path: string): Promise<Response> =>
      fetch(`${service.url}${path}`, {
        headers: { connection: 'close' },
        signal: AbortSignal.timeout(ANSWER_MS),
      });
    const refused = async (): Promise<number> => {
      const text = await (await answer('/metrics')).text();
      return Number(/^svc_http_requests_total\{.*status="401".*\} (\d+)$/m.exec(text)?.[1]);
    };
    // Both workers serve some.
    for (let i = 0; i < CONNECTIONS; i++) await (await answer('/v1/audits')).arrayBuffer();
    expect(await refused()).toBe(CONNECTIONS);
    process.kill(frozen, 'SIGSTOP');
    // Every second connection goes to the frozen worker. Its counters stay: a fall would look like new traffic.
    await waitFor(async () => expect(await refused()).toBe(CONNECTIONS));
    expect(await interrupt(service)).toEqual({ code: 130, signal: null });
    expect(service.stdout()).toContain('a worker process does not exit; it is killed');
    expect(await findEmbedded(dataDir)).toBeUndefined();
  },
);

// Only Linux lists the children of a process.
test.runIf(process.platform === 'linux')(
  'a frozen worker that is killed leaves no client waiting: its connections are closed',
  async () => {
    const service = await startSvcd({ SVC_DATA_DIR: await dataDirectory(), SVC_WORKERS: '2' });
    onFileEnd(async () => void (await service.stop('SIGKILL')));
    const [frozen = 0] = await workersOf(service.pid);
    process.kill(frozen, 'SIGSTOP');
    const { hostname, port } = new URL(service.url);
    const sockets = Array.from({ length: CONNECTIONS }, () => connect(Number(port), hostname));
    const closed = sockets.map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.on('error', () => undefined).resume();
          socket.once('close', () => resolve());
        }),
    );
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets)
      socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    // The other worker answers while this one is frozen.
    await Promise.race(closed);
    process.kill(frozen, 'SIGKILL');
    await Promise.all(closed);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  },
);
