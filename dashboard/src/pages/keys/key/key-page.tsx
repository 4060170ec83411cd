import type { KeyDetails } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft, Pencil, Replace } from 'lucide-react';
import { useEffect } from 'react';
import { isFailure } from '../../../api/failure.ts';
import { keyQuery } from '../../../api/keys.ts';
import { useWorkspace } from '../../../api/workspace.ts';
import { Page } from '../../../layout/page.tsx';
import { PageSkeleton } from '../../../layout/page-skeleton.tsx';
import { whyNot } from '../../../session/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureState } from '../../../ui/failure-state.tsx';
import { KeyDetailsSection } from './key-details.tsx';
import { useKeyActions } from './key-dialogs.tsx';
import { KeyChanges, KeyEntries } from './key-entries.tsx';
import { KeyMenu } from './key-menu.tsx';
import { KeyUsageSection } from './key-usage.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/keys/$keyId');

export function KeyPage() {
  const { workspaceId, keyId } = route.useParams();
  const { data, error, refetch } = useQuery(keyQuery(workspaceId, keyId));
  if (isFailure(error, 'not_found')) {
    return (
      <Page title="Not found" description={<BackLink workspaceId={workspaceId} />}>
        <p className="text-soft">
          There is no API key with the id <code className="text-ink wrap-anywhere">{keyId}</code>.
        </p>
      </Page>
    );
  }
  if (data !== undefined) return <LoadedKey key={keyId} workspaceId={workspaceId} details={data} />;
  if (error === null) return <PageSkeleton />;
  return (
    <FailureState
      error={error}
      retry={() => void refetch()}
      title="The key could not be loaded"
      heading="h1"
    />
  );
}

interface LoadedKeyProps {
  readonly workspaceId: string;
  readonly details: KeyDetails;
}

function LoadedKey({ workspaceId, details }: LoadedKeyProps) {
  const { key } = details;
  const { role } = useWorkspace(workspaceId);
  const { replace } = route.useSearch();
  const navigate = route.useNavigate();
  const blocked = whyNot(role, 'key.manage');
  const replaces = replace === true && blocked === undefined && key.revokedAt === null;
  const { act, dialogs } = useKeyActions(workspaceId, replaces ? { key, action: 'replace' } : null);
  // The link of a notice opens the dialog once: the address does not keep it.
  useEffect(() => {
    if (replace === undefined) return;
    void navigate({
      search: (known) => ({ ...known, replace: undefined }),
      replace: true,
      ignoreBlocker: true,
    });
  }, [replace, navigate]);
  return (
    <Page
      title={key.name}
      description={<BackLink workspaceId={workspaceId} />}
      actions={
        key.revokedAt !== null ? undefined : (
          <>
            <Button blocked={blocked} onClick={() => act(key, 'edit')}>
              <Pencil size={14} aria-hidden />
              Edit…
            </Button>
            <Button blocked={blocked} onClick={() => act(key, 'replace')}>
              <Replace size={14} aria-hidden />
              Replace…
            </Button>
            <KeyMenu onPage apiKey={key} blocked={blocked} onAction={(action) => act(key, action)} />
          </>
        )
      }
    >
      <KeyDetailsSection workspaceId={workspaceId} details={details} />
      <KeyUsageSection workspaceId={workspaceId} apiKey={key} />
      <KeyEntries workspaceId={workspaceId} apiKey={key} />
      <KeyChanges workspaceId={workspaceId} apiKey={key} />
      {dialogs}
    </Page>
  );
}

const BackLink = ({ workspaceId }: { readonly workspaceId: string }) => (
  <Link
    to="/w/$workspaceId/keys"
    params={{ workspaceId }}
    className="inline-flex items-center gap-1.5 hover:text-ink hover:underline"
  >
    <ArrowLeft size={14} aria-hidden />
    All API keys
  </Link>
);
