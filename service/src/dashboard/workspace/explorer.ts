import { API_METHODS, BODY_MAX_BYTES } from '@svc/sdk/contract';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { asMember } from '../../api/member-caller.ts';
import { ApiError } from '../../http/errors.ts';
import { canonicalTarget } from '../../http/request.ts';
import { allows } from '../auth/permissions.ts';
import type { DashboardContext } from '../context.ts';
import {
  EXPLORER_PATH_MAX_CHARACTERS,
  EXPLORER_REQUESTS_PER_SECOND,
  isWait,
  NEEDS_KEY,
  UNBOUNDED,
} from '../limits.ts';
import { defineBody, oneOf } from '../requests/body.ts';
import { requirePermission } from '../requests/session.ts';
import type { ExplorerAnswer } from './explorer-wire.ts';

const draft = defineBody({
  method: oneOf(API_METHODS),
  path: Type.String({
    pattern: '^/v1/[\\x21-\\x7e]*$',
    maxLength: EXPLORER_PATH_MAX_CHARACTERS,
    allowed: `a path below /v1 with its query, at most ${EXPLORER_PATH_MAX_CHARACTERS} visible ASCII characters`,
  }),
  body: Type.Optional(Type.String({ maxLength: BODY_MAX_BYTES, allowed: 'the JSON text of the body' })),
});

/**
 * Sends a request of the explorer to /v1 as the member: what a test key without a company limit gets, with write access only
 * if the role may change records (docs/decisions/0041). Writes are dry runs, so there is nothing to log.
 */
export function registerExplorer(api: FastifyInstance, { sessions }: DashboardContext): void {
  api.post('/workspaces/:workspaceId/explorer', async (request, reply): Promise<ExplorerAnswer> => {
    const access = await sessions.member(request, reply);
    const { method, path, body } = draft(request.body);
    if (method !== 'GET') requirePermission(access, 'record.change');
    const url = targetOf(path);
    const { workspaceId, role, person } = access;
    const member = {
      ...{ workspaceId, userId: person.id, burstLimit: EXPLORER_REQUESTS_PER_SECOND },
      access: allows(role, 'record.change') ? 'write' : 'read',
    } as const;
    const answer = await asMember(member, () =>
      api.inject({
        ...{ method, url },
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { payload: body }),
      }),
    );
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
    return { status: answer.statusCode, headers, body: answer.payload };
  });
}

/**
 * The target of a request that needs no key: not about the key itself, not after a time, and not without end. Dots are
 * resolved as the request would resolve them, so that it stays below /v1.
 */
function targetOf(text: string): string {
  const { pathname, search, searchParams } = new URL(text, 'http://localhost');
  const path = canonicalTarget(pathname);
  if (!path.startsWith('/v1/')) throw new ApiError('invalid_body', '"path" must be below /v1.');
  if (path === NEEDS_KEY || UNBOUNDED.test(path) || searchParams.getAll('wait').some(isWait)) {
    throw new ApiError(
      'invalid_body',
      '"path" must not be of /v1/me, a stream, an export or a request that waits: send those with an API key.',
    );
  }
  return pathname + search;
}
