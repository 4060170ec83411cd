import type { ResourceShape } from '@svc/service/dashboard/wire-data';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft, Pencil } from 'lucide-react';
import { useState } from 'react';
import { useCompanyNames } from '../../api/company-names.ts';
import { isFailure } from '../../api/failure.ts';
import { useResource } from '../../api/resources.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { Page } from '../../layout/page.tsx';
import { PageSkeleton } from '../../layout/page-skeleton.tsx';
import { whyNot } from '../../session/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { EditRecord } from './edit-record.tsx';
import { fieldLabel, valueLabel } from './labels.ts';
import { type DataRecord, titleOf, useResourceName } from './record.ts';
import { CompanyRecords } from './record-links.tsx';
import { type ReadRecord, recordQuery } from './record-query.ts';
import { ScoreHistory } from './score-history.tsx';
import { StatusMoves } from './status-moves.tsx';
import { Value } from './value.tsx';

export function RecordPage() {
  const name = useResourceName();
  const { workspaceId = '', recordId = '' } = useParams({ strict: false });
  const { shape, error, refetch } = useResource(name);
  const read = useQuery(recordQuery(workspaceId, name, recordId));
  if (isFailure(read.error, 'not_found') && shape !== undefined) {
    return (
      <Page title="Not found" description={<BackLink workspaceId={workspaceId} shape={shape} />}>
        <p className="text-soft">
          There is no {shape.singular} with the ID <code className="text-ink wrap-anywhere">{recordId}</code>.
          It may have been deleted.
        </p>
      </Page>
    );
  }
  const failure = error ?? (read.data === undefined ? read.error : null);
  if (failure !== null) {
    const retry = (): void => void Promise.all([refetch(), read.refetch()]);
    return <FailureState error={failure} retry={retry} title="The record could not be loaded" />;
  }
  if (shape === undefined || read.data === undefined) return <PageSkeleton />;
  return <RecordDetails key={recordId} workspaceId={workspaceId} shape={shape} read={read.data} />;
}

interface RecordDetailsProps {
  readonly workspaceId: string;
  readonly shape: ResourceShape;
  readonly read: ReadRecord;
}

function RecordDetails({ workspaceId, shape, read }: RecordDetailsProps) {
  const { record } = read;
  const { role } = useWorkspace(workspaceId);
  const [editing, setEditing] = useState(false);
  const companyId = companyOf(shape, record);
  const companyName = useCompanyNames(workspaceId, [companyId]);
  const blocked = whyNot(role, 'record.change');
  return (
    <Page
      title={titleOf(record)}
      description={<BackLink workspaceId={workspaceId} shape={shape} />}
      actions={
        shape.immutable ? undefined : (
          <Button blocked={blocked} onClick={() => setEditing(true)}>
            <Pencil size={14} aria-hidden />
            Edit
          </Button>
        )
      }
    >
      {shape.transitions === null ? null : (
        <StatusMoves workspaceId={workspaceId} shape={shape} read={read} blocked={blocked} />
      )}
      <Section title={valueLabel(shape.singular)}>
        <dl className="grid items-baseline grid-cols-[minmax(5.5rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-2.5 sm:gap-x-6 wrap-anywhere">
          {shape.fields.map((field) => (
            <div key={field.name} className="contents">
              <dt className="text-soft">{fieldLabel(field.name)}</dt>
              <dd className="min-w-0">
                <Value
                  workspaceId={workspaceId}
                  field={field}
                  value={record[field.name]}
                  companyName={companyName}
                  time="full"
                />
              </dd>
            </div>
          ))}
        </dl>
      </Section>
      {companyId !== null && (shape.name === 'audits' || shape.name === 'companies') ? (
        <ScoreHistory workspaceId={workspaceId} companyId={companyId} name={companyName(companyId)} />
      ) : null}
      {shape.name === 'companies' ? <CompanyRecords workspaceId={workspaceId} companyId={record.id} /> : null}
      {editing ? (
        <EditRecord workspaceId={workspaceId} shape={shape} read={read} onClose={() => setEditing(false)} />
      ) : null}
    </Page>
  );
}

const companyOf = ({ name }: ResourceShape, record: DataRecord): string | null => {
  if (name === 'companies') return record.id;
  const { companyId } = record;
  return typeof companyId === 'string' ? companyId : null;
};

const LIST_PATHS = {
  audits: '/w/$workspaceId/data/audits',
  mentions: '/w/$workspaceId/data/mentions',
  content: '/w/$workspaceId/data/content',
  companies: '/w/$workspaceId/data/companies',
} as const;

const BackLink = ({ workspaceId, shape }: Pick<RecordDetailsProps, 'workspaceId' | 'shape'>) => (
  <Link
    to={LIST_PATHS[shape.name as keyof typeof LIST_PATHS]}
    params={{ workspaceId }}
    className="inline-flex items-center gap-1.5 hover:text-ink hover:underline"
  >
    <ArrowLeft size={14} aria-hidden />
    All {shape.name}
  </Link>
);
