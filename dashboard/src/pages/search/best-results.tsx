import { capitalized } from '@svc/sdk/contract';
import type { SearchHit, SearchHits } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call, ofWorkspace } from '../../api/client.ts';
import { counted } from '../../format/plural.ts';
import { findResource } from '../../resources/resources.ts';
import { Badge } from '../../ui/badge.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../../ui/table.tsx';
import { NoResults } from './no-results.tsx';

export interface BestResultsProps {
  readonly workspaceId: string;
  readonly text: string;
}

/** At most ten results of each kind, the best first. */
export function BestResults({ workspaceId, text }: BestResultsProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['workspace', workspaceId, 'search', text],
    queryFn: ({ signal }) =>
      call<SearchHits>(ofWorkspace(workspaceId, '/search'), { query: { q: text }, signal }),
  });
  if (error !== null && data === undefined)
    return <FailureState error={error} retry={() => void refetch()} title="The search failed" />;
  if (data === undefined) return <SkeletonRows rows={10} />;
  if (data.data.length === 0) return <NoResults />;
  return (
    <>
      <Table label="Results">
        <TableHead>
          <tr>
            <HeadCell>Result</HeadCell>
            <HeadCell>Kind</HeadCell>
          </tr>
        </TableHead>
        <TableBody>
          {data.data.map((hit) => (
            <Row key={`${hit.resource} ${hit.id}`}>
              <Cell className="w-full py-2.5">
                <HitLink workspaceId={workspaceId} hit={hit} />
                <HitDetails hit={hit} />
              </Cell>
              <Cell className="whitespace-nowrap">
                <Badge>{kindOf(hit)}</Badge>
              </Cell>
            </Row>
          ))}
        </TableBody>
      </Table>
      <p role="status" className="border-t border-line px-4 py-3 text-center text-sm text-soft">
        {counted(data.data.length, ['result', 'results'])}, at most ten of each kind.
        {data.partial ? ' Only the newest records were searched; choose a kind to search all of them.' : ''}
      </p>
    </>
  );
}

/** A text that can have led to the result, which the title need not contain. */
const HitDetails = ({ hit }: { readonly hit: SearchHit }) => {
  const { resource, id, title, detail, match } = hit;
  const text = findResource(resource) === undefined ? `…${detail}` : detail;
  const shown = match === 'id' || text === null ? id : text;
  return shown === title ? null : (
    <span className="block font-mono text-xs wrap-anywhere text-soft">
      <bdi>{shown}</bdi>
    </span>
  );
};

/** Kinds that are not resources of data pages are API keys. */
const kindOf = ({ resource }: SearchHit): string => {
  const found = findResource(resource);
  return found === undefined ? 'API key' : capitalized(found.singular);
};

const HitLink = ({ workspaceId, hit }: { readonly workspaceId: string; readonly hit: SearchHit }) => {
  const { resource, id, title } = hit;
  const className = 'font-medium wrap-anywhere hover:underline';
  return findResource(resource) === undefined ? (
    <Link to="/w/$workspaceId/keys/$keyId" params={{ workspaceId, keyId: id }} className={className}>
      <bdi>{title}</bdi>
    </Link>
  ) : (
    <Link
      to="/w/$workspaceId/data/$resource/$recordId"
      params={{ workspaceId, resource, recordId: id }}
      className={className}
    >
      <bdi>{title}</bdi>
    </Link>
  );
};
