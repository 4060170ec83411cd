import { useQuery } from '@tanstack/react-query';
import { BookOpen, FileJson } from 'lucide-react';
import { serviceUrl } from '../../base.ts';
import { Page } from '../../layout/page.tsx';
import { PageSkeleton } from '../../layout/page-skeleton.tsx';
import { PAGE_HEADS } from '../../page-heads.ts';
import { buttonClass } from '../../ui/button.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { Explorer } from './explorer.tsx';
import { operationsQuery } from './openapi.ts';

export function ExplorerPage() {
  const { data, error, refetch } = useQuery(operationsQuery);
  if (error !== null) {
    return (
      <FailureState
        heading="h1"
        error={error}
        retry={() => void refetch()}
        title="The API description could not be loaded"
      />
    );
  }
  if (data === undefined) return <PageSkeleton />;
  return (
    <Page
      {...PAGE_HEADS['/w/$workspaceId/explorer']}
      actions={
        <>
          <a
            href={`${serviceUrl()}/docs`}
            target="_blank"
            rel="noreferrer"
            className={buttonClass('secondary')}
          >
            <BookOpen size={14} aria-hidden />
            API reference
          </a>
          <a
            href={`${serviceUrl()}/openapi.json`}
            target="_blank"
            rel="noreferrer"
            className={buttonClass('secondary')}
          >
            <FileJson size={14} aria-hidden />
            OpenAPI
          </a>
        </>
      }
    >
      <Explorer operations={data} />
    </Page>
  );
}
