import type { RangeName, Scores } from '@svc/service/dashboard/wire';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call, ofWorkspace } from './client.ts';

/** Headline scores over time: of one company, or of those with the most audits. */
export const scoresQuery = (workspaceId: string, range: RangeName, companyId?: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'scores', range, companyId ?? null],
    queryFn: ({ signal }) =>
      call<Scores>(ofWorkspace(workspaceId, '/scores'), { query: { range, companyId }, signal }),
    placeholderData: keepPreviousData,
  });
