import { apiKeys } from './api-keys.ts';
import type { Wire } from './field.ts';
import { RECORDS } from './resources.ts';

/** The path that describes the key of a request. */
export const ME_PATH = '/v1/me';

const NUMBER_MAX = Number.MAX_SAFE_INTEGER;
const { id, name, mode, hint, access, createdAt, expiresAt } = apiKeys.fields;
const workspaceName = {
  kind: 'text',
  max: 100,
  description: 'Name of the workspace.',
  example: 'Acme',
} as const;

/** The body of `GET /v1/me`, by its parts: the key of the request, and what limits it. */
export const ME = {
  key: {
    description: 'The API key of the request.',
    fields: { id, name, mode, hint, access, createdAt, expiresAt },
  },
  company: {
    description: 'The only company whose records the key may access. Null: the whole workspace.',
    nullable: true,
    fields: { id: RECORDS.companies.fields.id, name: RECORDS.companies.fields.name },
  },
  workspace: {
    description: 'The workspace of the key.',
    fields: {
      id: { kind: 'id', description: 'Workspace identifier.', example: 'wks_01jq4d0a5sg2r8t1k7j4w6f0za' },
      name: workspaceName,
    },
  },
  limits: {
    description: 'The limits of the key.',
    fields: {
      burst: {
        kind: 'integer',
        min: 1,
        max: NUMBER_MAX,
        nullable: true,
        description: 'Requests per second. Null: no limit.',
        example: 50,
      },
    },
  },
  quota: {
    description:
      'The live quota of the workspace, without this request. Requests with test keys do not use it. Null: there is none, or the key is limited to a company.',
    nullable: true,
    fields: {
      limit: {
        kind: 'integer',
        min: 0,
        max: NUMBER_MAX,
        description: 'Live requests of the workspace in a calendar month (UTC).',
        example: 100000,
      },
      used: {
        kind: 'integer',
        min: 0,
        max: NUMBER_MAX,
        description: 'Live requests of this month.',
        example: 1234,
      },
      remaining: {
        kind: 'integer',
        min: 0,
        max: NUMBER_MAX,
        description: 'Live requests that are left this month.',
        example: 98766,
      },
      resetsAt: {
        kind: 'time',
        description: 'When the next month begins.',
        example: '2026-04-01T00:00:00.000Z',
      },
    },
  },
} as const;

type Part<P> = Wire<P> | (P extends { readonly nullable: true } ? null : never);

/** The JSON type of `GET /v1/me`. */
export type MeOf<Parts> = { readonly [Name in keyof Parts]: Part<Parts[Name]> };
