import { CONTRACT } from '@svc/sdk/contract';
import { type ReceiverPolicy, receiverUrlProblem } from '@svc/webhook-sender';
import type pg from 'pg';
import { Type } from 'typebox';
import { lookUp } from '../../database/look-up.ts';
import { statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import type { EndpointSettings } from '../../webhooks/endpoints.ts';
import { WEBHOOK_DESCRIPTION_MAX_CHARACTERS, WEBHOOK_URL_MAX_CHARACTERS } from '../limits.ts';
import { defineBody, flag, idOrNull } from '../requests/body.ts';

const EVENT_TYPES: readonly string[] = CONTRACT.changes.fields.type.values;

const fields = {
  url: Type.String({
    minLength: 1,
    maxLength: WEBHOOK_URL_MAX_CHARACTERS,
    allowed: `a URL of at most ${WEBHOOK_URL_MAX_CHARACTERS} characters, such as https://example.com/hook`,
  }),
  description: Type.String({
    maxLength: WEBHOOK_DESCRIPTION_MAX_CHARACTERS,
    pattern: '^[^\\p{Cc}\\p{Cs}]*$',
    allowed: `at most ${WEBHOOK_DESCRIPTION_MAX_CHARACTERS} characters on one line`,
  }),
  types: Type.Union(
    [Type.Array(Type.Enum([...EVENT_TYPES]), { minItems: 1, uniqueItems: true }), Type.Null()],
    {
      allowed: `null for all types, or a list without repeats of some of ${EVENT_TYPES.join(', ')}`,
    },
  ),
  companyId: idOrNull,
  ordered: flag,
};

/** Checks the body that creates an endpoint. */
export const newSettings = defineBody(fields);

/** Checks the body that changes an endpoint: any of the settings, and whether it is enabled. */
export const changedSettings = defineBody({
  url: Type.Optional(fields.url),
  description: Type.Optional(fields.description),
  types: Type.Optional(fields.types),
  companyId: Type.Optional(fields.companyId),
  ordered: Type.Optional(fields.ordered),
  enabled: Type.Optional(flag),
});

/** Refuses a URL to which nothing would be sent. The addresses of a host name are checked at each delivery. */
export function requireReceiver(url: string, policy: ReceiverPolicy): void {
  const problem = receiverUrlProblem(url, policy);
  if (problem !== undefined) throw new ApiError('invalid_body', `"url" is refused. ${problem}`);
}

const selectCompany = statement(
  'company_of_endpoint',
  'request',
)`${lookUp({ select: '1', from: 'companies' })}`;

/** Refuses a company that the workspace does not have. */
export async function requireCompany(
  client: pg.ClientBase,
  workspaceId: string,
  companyId: string | null,
): Promise<void> {
  if (companyId === null) return;
  const { rowCount } = await client.query(selectCompany(workspaceId, companyId));
  if (rowCount === 0)
    throw new ApiError('invalid_body', '"companyId" must be the id of a company of this workspace, or null.');
}

const SETTINGS = ['url', 'description', 'types', 'companyId', 'ordered'] as const;

/** What the audit log, which all members read, shows of changed settings. Of a URL the origin: the rest can be secret. */
export function changesOf(before: EndpointSettings, after: EndpointSettings) {
  return SETTINGS.filter((field) => String(before[field]) !== String(after[field])).map((field) => ({
    field,
    before: shown(field, before),
    after: shown(field, after),
  }));
}

function shown(field: (typeof SETTINGS)[number], settings: EndpointSettings): string | boolean | null {
  if (field === 'url') return new URL(settings.url).origin;
  if (field === 'types') return settings.types?.join(', ') ?? null;
  return settings[field];
}
