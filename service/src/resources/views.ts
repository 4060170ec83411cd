import { utc, utcSeconds } from '../database/utc.ts';

/**
 * What lists read that is no table: queries in which `$1` is the workspace. They are no views of the database, because a
 * cluster routes a query only if the workspace of each table in it is a parameter.
 */

const LAST_USE = `greatest(k.last_used_at, (
      select u.last_used_at from key_usage u where u.workspace_id = $1 and u.key_id >= k.id and u.key_id <= k.id
      order by u.key_id desc, u.day desc limit 1))`;

/** The API keys of a workspace. */
export const API_KEY_RECORDS = `(select k.workspace_id, k.id, k.company_id, k.created_at,
    case
      when k.revoked_at is not null then 'revoked'
      when k.expires_at <= statement_timestamp() then 'expired'
      when k.paused_at is not null then 'paused'
      else 'active'
    end as status,
    (select row_to_json(wire)::text from (select
      k.id, k.name, k.mode, k.hint, k.access, k.company_id as "companyId",
      ${utc('k.created_at')} as "createdAt", ${utcSeconds(LAST_USE)} as "lastUsedAt",
      ${utc('k.revoked_at')} as "revokedAt", ${utc('k.expires_at')} as "expiresAt", ${utc('k.paused_at')} as "pausedAt"
    ) wire) as doc
  from api_keys k where k.workspace_id = $1) api_key_records`;

/** The entries of a workspace's log. The entry of an import has its counts, which change while it runs. */
export const AUDIT_LOG_ENTRIES = `(select workspace_id, id, created_at, kind, key_id, actor, target_id, status, method, path,
    case when kind = 'records.imported' and target_id is not null then coalesce(
      (select left(doc, -1) || ',"records":' || i.records || ',"details":'
         || json_build_object('existing', i.existing, 'refused', i.refused, 'finished', i.finished) || '}'
       from imports i where i.workspace_id = $1 and i.id = audit_log.target_id),
      doc
    ) else doc end as doc
  from audit_log where workspace_id = $1) audit_log_entries`;
