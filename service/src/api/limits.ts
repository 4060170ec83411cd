import type { Limiter } from '@svc/rate-limiter';
import type { Shares } from '@svc/turns/lane';
import type { AuditWriter } from '../audit-log/audit-writer.ts';
import type { QuotaState } from '../audit-log/audited-request.ts';
import type { Clock } from '../config/time.ts';
import { preparedStatement } from '../database/statement.ts';
import { ApiError } from '../http/errors.ts';
import type { AuthenticatedKey } from '../keys/authenticate.ts';
import { type Caller, invalidKey, rateLimited } from './authentication.ts';

const BURST_WINDOW_MS = 1_000;

/** Counts the request against the burst limit of its key. Throws `rate_limited`. */
export async function requireBurst(caller: Caller, limiter: Limiter): Promise<void> {
  const { keyId, burstLimit } = caller.key;
  if (burstLimit === null) return;
  caller.burst = await limiter.take(`burst ${keyId}`, burstLimit, BURST_WINDOW_MS, 1);
  if (!caller.burst.granted) throw rateLimited(`Send at most ${burstLimit} requests a second.`, caller.burst);
}

/**
 * Refuses the requests of workspaces that have used up their live quota, before any work is done for them. It asks the
 * database only if an earlier request of the workspace has used up the quota. The statement that writes the audit entry
 * of a request decides in any case.
 */
export interface QuotaGate {
  /** Throws `quota_exceeded` while the quota of the workspace is used up. */
  require(workspaceId: string): Promise<void>;
  /** The same, but asks the database in any case. */
  confirm(workspaceId: string): Promise<void>;
  /** The live quota of a workspace now. Null: it has none. */
  read(workspaceId: string): Promise<QuotaState | null>;
  /** Notes the quota that the audit entry of a request has returned. */
  note(workspaceId: string, quota: QuotaState | null): void;
  /** Notes that the quota does not allow a request, and returns its refusal. */
  exceeded(workspaceId: string, quota: QuotaState): ApiError;
}

export function createQuotaGate(reads: Shares, clock: Clock): QuotaGate {
  const exhausted = new Set<string>();
  const confirm = async (workspaceId: string): Promise<void> => {
    const quota = await readQuota(reads, workspaceId);
    if (quota !== null && isUsedUp(quota)) throw quotaExceeded(quota, clock());
    exhausted.delete(workspaceId);
  };
  return {
    async require(workspaceId) {
      if (exhausted.has(workspaceId)) await confirm(workspaceId);
    },
    confirm,
    read: (workspaceId) => readQuota(reads, workspaceId),
    note(workspaceId, quota) {
      if (quota !== null && isUsedUp(quota)) exhausted.add(workspaceId);
    },
    exceeded(workspaceId, quota) {
      exhausted.add(workspaceId);
      return quotaExceeded(quota, clock());
    },
  };
}

const isUsedUp = ({ limit, used }: QuotaState): boolean => used >= limit;

const quotaExceeded = (quota: QuotaState, nowMs: number): ApiError =>
  new ApiError(
    'quota_exceeded',
    `The workspace's live quota of ${quota.limit} requests this month is used up.`,
    { 'retry-after': String(quotaItem(quota, nowMs).resetSeconds) },
  );

/** Takes a unit of live quota without an entry, and confirms the key. Throws the refusal. */
export async function takeUnit(
  { workspaceId, keyId, tokenVersion, validity }: AuthenticatedKey,
  auditWriter: AuditWriter,
  quotaGate: QuotaGate,
): Promise<void> {
  const key = { workspaceId, keyId, tokenVersion, validity };
  const unit = { ...key, entry: null, counted: true, failed: false, durationMs: 0 };
  const outcome = await auditWriter.append(unit);
  if (outcome.result === 'invalid_key') throw invalidKey(true);
  if (outcome.result === 'over_quota') throw quotaGate.exceeded(workspaceId, outcome.quota);
  quotaGate.note(workspaceId, outcome.quota);
}

const selectQuota = preparedStatement('read_quota', 'request')`
  select live_quota as limit, case when month >= date_trunc('month', now())::date then live_requests else 0 end as used
  from live_meters where workspace_id = $1 and live_quota is not null`;

/** The live quota of a workspace and the requests that this month has used of it. Null: the workspace has no quota. */
async function readQuota(reads: Shares, workspaceId: string): Promise<QuotaState | null> {
  const { rows } = await reads.of(workspaceId).query<QuotaState>(selectQuota(workspaceId));
  return rows[0] ?? null;
}

/** The live requests that are left this month. */
export const remainingOf = ({ limit, used }: QuotaState): number => Math.max(limit - used, 0);

/** A limit as the response headers name it. */
interface RateLimitItem {
  readonly name: 'quota' | 'burst';
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/**
 * RateLimit and RateLimit-Policy (IETF draft-ietf-httpapi-ratelimit-headers), one item per limit that is set. The quota
 * shows the traffic of the whole workspace, so a key that is limited to one company does not see it.
 */
export function rateLimitHeaders(
  { key, burst }: Pick<Caller, 'key' | 'burst'>,
  quota: QuotaState | null,
  nowMs: number,
): Readonly<Record<string, string>> {
  const items: RateLimitItem[] = [];
  if (quota !== null && key.companyId === null) items.push(quotaItem(quota, nowMs));
  if (burst !== null && key.burstLimit !== null) {
    items.push({
      name: 'burst',
      limit: key.burstLimit,
      windowSeconds: BURST_WINDOW_MS / 1000,
      remaining: burst.remaining,
      resetSeconds: Math.ceil(burst.resetMs / 1000),
    });
  }
  if (items.length === 0) return {};
  return {
    'ratelimit-policy': items.map((i) => `"${i.name}";q=${i.limit};w=${i.windowSeconds}`).join(', '),
    ratelimit: items.map((i) => `"${i.name}";r=${i.remaining};t=${i.resetSeconds}`).join(', '),
  };
}

/** How far the clocks of the database and of the node may be apart at the start of a month. */
const MONTH_STARTS_WITHIN_MS = 5_000;

/**
 * The live quota as a rate limit: its window is the calendar month in UTC. The database decides whether it is used up. If it
 * is just after the start of a month, the database had the last month.
 */
export function quotaItem({ limit, used }: QuotaState, nowMs: number): RateLimitItem {
  const start = monthStartMs(nowMs, 0);
  const end = monthStartMs(nowMs, 1);
  const remaining = remainingOf({ limit, used });
  const resets = remaining === 0 && nowMs - start < MONTH_STARTS_WITHIN_MS;
  return {
    name: 'quota',
    limit,
    windowSeconds: (end - start) / 1000,
    remaining,
    resetSeconds: resets ? 1 : Math.ceil((end - nowMs) / 1000),
  };
}

/** When the calendar month (UTC) begins that comes this many months after that of `nowMs`. */
export function monthStartMs(nowMs: number, months: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1);
}
