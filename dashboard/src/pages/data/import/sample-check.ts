import type { ImportAnswer } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { ofWorkspace } from '../../../api/client.ts';
import { newIdempotencyKey } from '../../../api/idempotency-key.ts';
import { upload } from '../../../api/upload.ts';
import type { ResourceContract } from '../../../resources/resources.ts';
import { type ColumnMap, columnsParameter, missingFields } from './column-map.ts';
import { CONTENT_TYPES, type FileHead } from './file-head.ts';

type Refused = ImportAnswer['refusedLines'][number];
const NONE: ReadonlyMap<number, Refused['failures']> = new Map();

/**
 * The rows of the preview that the service would refuse, by their place, from a dry run of these rows. Nothing while it is
 * loaded, or while required fields are missing.
 */
export function useSampleCheck(
  workspaceId: string,
  resource: ResourceContract,
  head: FileHead | null,
  map: ColumnMap,
): ReadonlyMap<number, Refused['failures']> {
  const { data } = useQuery({
    queryKey: ['import sample', workspaceId, resource.name, head?.sample, map],
    enabled: head !== null && missingFields(resource, map).length === 0,
    queryFn: async ({ signal }) => {
      if (head === null) return NONE;
      const columns = columnsParameter(head.columns, map);
      const query = new URLSearchParams({ dryRun: 'true', ...(columns === undefined ? {} : { columns }) });
      const answer = await upload<ImportAnswer>(
        ofWorkspace(workspaceId, `/imports/${resource.name}?${query}`),
        {
          file: new File([head.sample], 'preview'),
          contentType: CONTENT_TYPES[head.format],
          idempotencyKey: newIdempotencyKey(),
          onProgress: () => undefined,
          signal,
        },
      );
      return placesOf(head, answer.refusedLines);
    },
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? NONE;
}

/** The sample has no lines between its rows, so a row starts after the lines of the rows before it. */
function placesOf(head: FileHead, refused: readonly Refused[]): ReadonlyMap<number, Refused['failures']> {
  const starts = new Map(head.sampleLines.map((line, i) => [line, i]));
  return new Map(
    refused.flatMap(({ line, failures }) => {
      const place = starts.get(line);
      return place === undefined ? [] : [[place, failures] as const];
    }),
  );
}
