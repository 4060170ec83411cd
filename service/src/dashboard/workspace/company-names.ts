import { isId } from '@svc/sdk/contract';
import type { FastifyInstance } from 'fastify';
import { allowParameters } from '../../api/guards.ts';
import type { Connections } from '../../database/lane.ts';
import { ApiError } from '../../http/errors.ts';
import type { DashboardContext } from '../context.ts';
import { COMPANY_NAMES_MAX, NAME_MAX_CHARACTERS } from '../limits.ts';
import type { CompanyNames } from '../wire.ts';

/**
 * Names of companies, for people who choose one or see its id: those whose name, domain or id holds the text `search`
 * (none: the first ones by name), or those of the ids in `ids`, separated by commas.
 */
export function registerCompanyNames(api: FastifyInstance, { pool, sessions }: DashboardContext): void {
  api.get<{ Querystring: Record<string, unknown> }>(
    '/workspaces/:workspaceId/company-names',
    async (request, reply): Promise<CompanyNames> => {
      const { workspaceId } = await sessions.member(request, reply);
      allowParameters(request.query, ['search', 'ids']);
      const { ids, search = '' } = request.query;
      if (typeof ids === 'string') return { data: await findByIds(pool, workspaceId, idsOf(ids)) };
      return { data: await findByText(pool, workspaceId, searchOf(String(search))) };
    },
  );
}

function idsOf(text: string): readonly string[] {
  const ids = text.split(',').filter((id) => id !== '');
  if (ids.length <= COMPANY_NAMES_MAX && ids.every(isId)) return ids;
  throw new ApiError(
    'invalid_parameter',
    `"ids" must be at most ${COMPANY_NAMES_MAX} ids of companies, separated by commas.`,
  );
}

function searchOf(text: string): string {
  if (text.length <= NAME_MAX_CHARACTERS && !text.includes('\0')) return text;
  throw new ApiError(
    'invalid_parameter',
    `"search" must be text of at most ${NAME_MAX_CHARACTERS} characters, without U+0000.`,
  );
}

async function findByIds(pool: Connections, workspaceId: string, ids: readonly string[]) {
  const { rows } = await pool.query<CompanyNames['data'][number]>(
    'select id, name, domain from companies where workspace_id = $1 and id = any($2) order by name, id',
    [workspaceId, ids],
  );
  return rows;
}

async function findByText(pool: Connections, workspaceId: string, text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const { rows } = await pool.query<CompanyNames['data'][number]>(
    `select id, name, domain from companies
     where workspace_id = $1 and (name ilike $2 or domain ilike $2 or id like $2)
     order by name, id limit $3`,
    [workspaceId, pattern, COMPANY_NAMES_MAX],
  );
  return rows;
}
