import type { Change } from '@svc/sdk';
import { expect } from 'vitest';
import { createTestDashboard } from '../harness/dashboard.ts';
import { seedChanges } from '../harness/records.ts';
import { createTestService, type TestAnswer } from '../harness/service.ts';
import { listen } from '../harness/socket.ts';
import { type EventStream, openStream, type StreamEvent } from './event-stream.ts';

interface Entry {
  readonly kind: string;
  readonly requestId: string;
  readonly details?: { readonly changes: number; readonly durationMs: number; readonly reason: string };
}

/** The changes that a stream has sent. */
export const changesOf = ({ events }: EventStream): readonly StreamEvent[] =>
  events.filter(({ data }) => data !== '');
/** The ids of their records. */
export const idsOf = (opened: EventStream): readonly string[] =>
  changesOf(opened).map(({ data }) => (JSON.parse(data) as Change).recordId);
/** Resolves once a stream has sent so many changes. */
export const has = (opened: EventStream, count: number): Promise<void> =>
  expect.poll(() => changesOf(opened).length).toBeGreaterThanOrEqual(count);

/** The error that ends a stream. */
export const errorOf = ({ events }: EventStream): string | undefined => {
  const last = events.at(-1);
  return last?.event === 'error' ? JSON.parse(last.data).error.code : undefined;
};

/** A service on a port, with functions for the workspace that `fresh` has created last. */
export async function createStreamWorld() {
  const service = await createTestService();
  const url = await listen(service);
  const world = { workspaceId: '', key: { keyId: '', token: '' } };
  /** Creates another workspace with a key that may write. */
  const fresh = async (): Promise<void> => {
    world.workspaceId = await service.workspace();
    world.key = await service.issue(world.workspaceId, { access: 'write' });
  };
  const stream = (
    query = '',
    headers: Readonly<Record<string, string>> = {},
    token = world.key.token,
    at = url,
  ): Promise<EventStream> => openStream(`${at}/v1/changes/stream${query}`, token, headers);
  const write = (id: string, token = world.key.token): Promise<TestAnswer> =>
    service.request(token, '/v1/companies', { method: 'POST', payload: { id, name: id } });
  /** The position at the end of the feed. */
  async function now(): Promise<string> {
    const answer = await service.request(world.key.token, '/v1/changes?after=now');
    return answer.json<{ readonly pagination: { readonly position: string } }>().pagination.position;
  }
  /** Appends changes to the feed, whose records have this size. */
  const seed = (count: number, size = 10): Promise<void> =>
    seedChanges(
      service.pool,
      world.workspaceId,
      Array.from({ length: count }, (_, i) => ({
        type: 'company.updated',
        recordId: `com_${i}`,
        companyId: `com_${i}`,
        doc: JSON.stringify({
          ...{ id: `com_${i}`, name: 'x'.repeat(size), domain: null },
          createdAt: '2026-03-01T09:30:00Z',
        }),
        changed: ['name'],
      })),
    );

  async function entries(): Promise<readonly Entry[]> {
    const { rows } = await service.pool.query<{ entry: Entry }>(
      `select doc::json as entry from audit_log where workspace_id = $1
       and (kind = 'stream.closed' or path = '/v1/changes/stream') order by created_at`,
      [world.workspaceId],
    );
    return rows.map(({ entry }) => entry);
  }
  const closed = async (): Promise<Entry['details']> => {
    await expect.poll(async () => (await entries()).map(({ kind }) => kind)).toContain('stream.closed');
    return (await entries()).find(({ kind }) => kind === 'stream.closed')?.details;
  };
  const setQuota = (quota: number): Promise<unknown> =>
    service.pool.query('update live_meters set live_quota = $2 where workspace_id = $1', [
      world.workspaceId,
      quota,
    ]);
  async function used(): Promise<number> {
    const { rows } = await service.pool.query<{ used: number }>(
      'select live_requests as used from live_meters where workspace_id = $1',
      [world.workspaceId],
    );
    return rows[0]?.used ?? 0;
  }
  /** Resolves once this number of requests wait for changes. */
  const waiting = (count: number): Promise<void> =>
    expect
      .poll(
        async () => /^svc_waiting_requests (\d+)$/m.exec((await service.app.inject('/metrics')).body)?.[1],
      )
      .toBe(String(count));
  return {
    service,
    dashboard: createTestDashboard(service),
    url,
    world,
    fresh,
    stream,
    write,
    now,
    seed,
    entries,
    closed,
    setQuota,
    used,
    waiting,
  };
}
