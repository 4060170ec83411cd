import { capitalized } from '@svc/sdk/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useCompanyNames } from '../../api/company-names.ts';
import { isFailure } from '../../api/failure.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { useTimeZone } from '../../format/time-zone.ts';
import { Page } from '../../layout/page.tsx';
import { PageSkeleton } from '../../layout/page-skeleton.tsx';
import { fieldLabel, headingOf } from '../../resources/labels.ts';
import {
  companyOf,
  findResource,
  isCompanies,
  isEditable,
  type ResourceContract,
} from '../../resources/resources.ts';
import { whyNot } from '../../session/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Details, Item } from '../../ui/details.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { DeleteRecord } from './forms/delete-record.tsx';
import { EditRecord } from './forms/edit-record.tsx';
import { RecordHistory } from './record-history.tsx';
import { CompanyRecords } from './record-links.tsx';
import { type ReadRecord, recordQuery } from './record-query.ts';
import { ScoreHistory } from './score-history.tsx';
import { StatusMoves } from './status-moves.tsx';
import { Value } from './value.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/data/$resource/$recordId');

export function RecordPage() {
  const { workspaceId, resource: name, recordId } = route.useParams();
  const resource = findResource(name);
  const { data, error, refetch } = useQuery(recordQuery(workspaceId, name, recordId));
  // For an unknown resource, the route shows the page "Page not found" instead.
  if (resource === undefined) return null;
  const deleted = isFailure(error, 'not_found');
  if (data !== undefined) {
    return (
      <RecordDetails
        key={recordId}
        workspaceId={workspaceId}
        resource={resource}
        read={data}
        deleted={deleted}
      />
    );
  }
  if (deleted) return <NoRecord workspaceId={workspaceId} resource={resource} recordId={recordId} />;
  if (error === null) return <PageSkeleton />;
  return (
    <FailureState
      error={error}
      retry={() => void refetch()}
      title="The record could not be loaded"
      heading="h1"
    />
  );
}

interface RecordDetailsProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  readonly read: ReadRecord;
  /** Whether the record no longer exists. The page then shows it only while it is edited, to keep what was typed. */
  readonly deleted: boolean;
}

function RecordDetails({ workspaceId, resource, read, deleted }: RecordDetailsProps) {
  const { record } = read;
  const { role } = useWorkspace(workspaceId);
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null);
  const close = (): void => setDialog(null);
  const companyId = companyOf(resource, record);
  const companyName = useCompanyNames(workspaceId, [companyId]);
  useTimeZone();
  const blocked = whyNot(role, 'record.change');
  // The headline score over time is shown on the page of a company, and on those of its audits.
  const hasScore = isCompanies(resource) || 'headlineScore' in resource.fields;
  if (deleted && dialog !== 'edit') {
    return <NoRecord workspaceId={workspaceId} resource={resource} recordId={record.id} />;
  }
  return (
    <Page
      title={headingOf(resource, record, companyName)}
      description={<BackLink workspaceId={workspaceId} resource={resource} />}
      actions={
        isEditable(resource) ? (
          <>
            <Button blocked={blocked} onClick={() => setDialog('edit')}>
              <Pencil size={14} aria-hidden />
              Edit
            </Button>
            <Button blocked={blocked} onClick={() => setDialog('delete')}>
              <Trash2 size={14} aria-hidden />
              Delete
            </Button>
          </>
        ) : undefined
      }
    >
      {resource.transitions === undefined ? null : (
        <StatusMoves
          workspaceId={workspaceId}
          resource={resource.name}
          transitions={resource.transitions}
          read={read}
          blocked={blocked}
        />
      )}
      <Section title={capitalized(resource.singular)}>
        <Details>
          {Object.entries(resource.fields).map(([name, field]) => (
            <Item key={name} label={fieldLabel(name)}>
              <Value
                workspaceId={workspaceId}
                name={name}
                field={field}
                value={record[name]}
                companyName={companyName}
                time="full"
              />
              {name === 'id' ? <CopyButton text={record.id} label="Copy ID" /> : null}
            </Item>
          ))}
        </Details>
      </Section>
      {companyId !== null && hasScore ? (
        <ScoreHistory workspaceId={workspaceId} companyId={companyId} name={companyName(companyId)} />
      ) : null}
      {isCompanies(resource) ? <CompanyRecords workspaceId={workspaceId} companyId={record.id} /> : null}
      <RecordHistory workspaceId={workspaceId} resource={resource} recordId={record.id} etag={read.etag} />
      {dialog === 'edit' ? (
        <EditRecord workspaceId={workspaceId} resource={resource} read={read} onClose={close} />
      ) : dialog === 'delete' ? (
        <DeleteRecord workspaceId={workspaceId} resource={resource} read={read} onClose={close} />
      ) : null}
    </Page>
  );
}

interface NoRecordProps extends Pick<RecordDetailsProps, 'workspaceId' | 'resource'> {
  readonly recordId: string;
}

const NoRecord = ({ workspaceId, resource, recordId }: NoRecordProps) => (
  <Page title="Not found" description={<BackLink workspaceId={workspaceId} resource={resource} />}>
    <p className="text-soft">
      There is no {resource.singular} with the ID <code className="text-ink wrap-anywhere">{recordId}</code>.
      It may have been deleted.
    </p>
    <RecordHistory workspaceId={workspaceId} resource={resource} recordId={recordId} />
  </Page>
);

const BackLink = ({ workspaceId, resource }: Pick<RecordDetailsProps, 'workspaceId' | 'resource'>) => (
  <Link
    to="/w/$workspaceId/data/$resource"
    params={{ workspaceId, resource: resource.name }}
    className="inline-flex items-center gap-1.5 hover:text-ink hover:underline"
  >
    <ArrowLeft size={14} aria-hidden />
    All {resource.plural}
  </Link>
);
