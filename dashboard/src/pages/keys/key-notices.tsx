import type { ApiKey } from '@svc/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { keyNoticesQuery } from '../../api/keys.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { counted } from '../../format/plural.ts';
import { When } from '../../format/when.tsx';
import { whyNot } from '../../session/permissions.ts';
import { classes } from '../../ui/classes.ts';
import { isExpired } from './key/key-badges.tsx';

const SHOWN_MAX = 5;

/** Tells every member which keys expire soon, or have expired while they were in use. Nothing if there are none. */
export function KeyNotices({ workspaceId }: { readonly workspaceId: string }) {
  const { data } = useQuery(keyNoticesQuery(workspaceId));
  const { role } = useWorkspace(workspaceId);
  const keys = data?.data ?? [];
  if (keys.length === 0) return null;
  const more = keys.length - SHOWN_MAX;
  const expired = keys.some(isExpired);
  return (
    <section
      aria-label="Keys that expire"
      className={classes(
        'flex items-start gap-2.5 rounded-md px-4 py-3',
        expired ? 'bg-bad-ground text-bad' : 'bg-warn-ground text-warn',
      )}
    >
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      <ul className="flex min-w-0 flex-col gap-1.5 wrap-anywhere">
        {keys.slice(0, SHOWN_MAX).map((key) => (
          <Notice
            key={key.id}
            workspaceId={workspaceId}
            apiKey={key}
            replaces={whyNot(role, 'key.manage') === undefined}
          />
        ))}
        {more > 0 ? (
          <li>{counted(more, ['more key expires', 'more keys expire'])} or did so in use.</li>
        ) : null}
      </ul>
    </section>
  );
}

interface NoticeProps {
  readonly workspaceId: string;
  readonly apiKey: ApiKey;
  /** Whether the person may replace keys. */
  readonly replaces: boolean;
}

const Notice = ({ workspaceId, apiKey, replaces }: NoticeProps) => (
  <li>
    “{apiKey.name}” {isExpired(apiKey) ? 'expired while it was in use,' : 'expires'}{' '}
    <When at={apiKey.expiresAt} form="upcoming" />.{' '}
    <Link
      to="/w/$workspaceId/keys/$keyId"
      params={{ workspaceId, keyId: apiKey.id }}
      search={replaces ? { replace: true } : {}}
      className="font-medium underline"
    >
      {replaces ? 'Replace' : 'Show'}
      <span className="sr-only"> “{apiKey.name}”</span>
    </Link>
  </li>
);
