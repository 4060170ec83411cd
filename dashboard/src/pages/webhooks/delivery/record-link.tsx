import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isFailure } from '../../../api/failure.ts';
import { findResource, titleOf } from '../../../resources/resources.ts';
import { recordQuery } from '../../data/record-query.ts';
import type { RecordOfRequest } from './request.ts';

export interface RecordLinkProps {
  readonly workspaceId: string;
  readonly record: RecordOfRequest;
}

/** Links to the record of an event, if it still exists. Otherwise shows its id. */
export function RecordLink({ workspaceId, record: { resource: name, recordId } }: RecordLinkProps) {
  const resource = findResource(name);
  const { data, error } = useQuery({
    ...recordQuery(workspaceId, name, recordId),
    enabled: resource !== undefined,
  });
  if (resource === undefined || data === undefined) {
    return (
      <>
        <code>{recordId}</code>
        {isFailure(error, 'not_found') ? <span className="text-soft"> (deleted)</span> : null}
      </>
    );
  }
  return (
    <Link
      to="/w/$workspaceId/data/$resource/$recordId"
      params={{ workspaceId, resource: name, recordId }}
      className="text-accent hover:underline"
    >
      {titleOf(resource, data.record)}
    </Link>
  );
}
