import { allows, type Permission } from '@svc/service/dashboard/permissions';
import { useNavigate, useRouter } from '@tanstack/react-router';
import {
  CircleAlert,
  Clock,
  Download,
  FileUp,
  Gauge,
  KeyRound,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  PenLine,
  Plus,
  ShieldCheck,
  Sun,
  UserPlus,
  Webhook,
} from 'lucide-react';
import { useMe } from '../../api/me.ts';
import type { DataSearch } from '../../pages/data/data-search.ts';
import type { LogSearch } from '../../pages/log/log-search.ts';
import { DATA_RESOURCES } from '../../resources/resources.ts';
import { useSignOut } from '../../session/sign-out.ts';
import { setTheme } from '../../theme/theme.ts';
import type { PaletteItem } from './palette-item.ts';

interface Action {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly words?: string;
  /** Shown only to people with this permission. Default: to every member. */
  readonly permission?: Permission;
  readonly run: () => unknown;
}

/** What the person may do in the workspace. */
export function useActions(workspaceId: string | undefined): readonly PaletteItem[] {
  const role = useMe().workspaces.find(({ id }) => id === workspaceId)?.role;
  const navigate = useNavigate();
  const router = useRouter();
  if (workspaceId === undefined || role === undefined) return [];
  const params = { workspaceId };
  const keys = (create: true | 'test') => () =>
    navigate({ to: '/w/$workspaceId/keys', params, search: { create } });
  // A list that is shown keeps its filters.
  const list = (resource: string, dialog: 'create' | 'export' | 'import') => () => {
    const place = { to: '/w/$workspaceId/data/$resource', params: { workspaceId, resource } } as const;
    const shown = router.matchRoute(place) !== false;
    const search = (before: DataSearch): DataSearch => ({ ...(shown ? before : {}), dialog });
    return navigate({ ...place, search, replace: shown, resetScroll: !shown });
  };
  const failedRequests = () => navigate({ to: '/w/$workspaceId/log', params, search: { status: 'failed' } });
  const exportLog = () => {
    const place = { to: '/w/$workspaceId/log', params } as const;
    const shown = router.matchRoute(place) !== false;
    const search = (before: LogSearch): LogSearch => ({
      ...(shown ? { ...before, entry: undefined } : {}),
      dialog: 'export',
    });
    return navigate({ ...place, search, replace: shown, resetScroll: !shown });
  };
  const settings = (search: { tab?: 'limits' | 'members'; invite?: true }) => () =>
    navigate({ to: '/w/$workspaceId/settings', params, search });
  const actions: readonly Action[] = [
    {
      label: 'Create key',
      icon: KeyRound,
      words: 'new api token',
      permission: 'key.manage',
      run: keys(true),
    },
    {
      label: 'Create test key',
      icon: KeyRound,
      words: 'new api token',
      permission: 'key.manage',
      run: keys('test'),
    },
    ...DATA_RESOURCES.flatMap(({ name, singular, plural }): readonly Action[] => [
      {
        label: `Create ${singular}`,
        icon: Plus,
        words: 'new add record',
        permission: 'record.change',
        run: list(name, 'create'),
      },
      {
        label: `Import ${plural}`,
        icon: FileUp,
        words: 'upload file csv ndjson records',
        permission: 'record.import',
        run: list(name, 'import'),
      },
      {
        label: `Export ${plural}`,
        icon: Download,
        words: 'download save file csv ndjson records',
        run: list(name, 'export'),
      },
    ]),
    {
      label: 'Create webhook',
      icon: Webhook,
      words: 'new endpoint',
      permission: 'webhook.manage',
      run: () => navigate({ to: '/w/$workspaceId/webhooks', params, search: { create: true } }),
    },
    {
      label: 'Invite a member',
      icon: UserPlus,
      words: 'add person user',
      permission: 'invitation.create',
      run: settings({ tab: 'members', invite: true }),
    },
    {
      label: 'Change limits',
      icon: Gauge,
      words: 'live quota burst',
      permission: 'quota.set',
      run: settings({ tab: 'limits' }),
    },
    { label: 'Rename workspace', icon: PenLine, permission: 'workspace.rename', run: settings({}) },
    {
      label: 'Show failed requests',
      icon: CircleAlert,
      words: 'errors log 4xx 5xx',
      run: failedRequests,
    },
    {
      label: 'Export the audit log',
      icon: Download,
      words: 'download save file csv ndjson entries',
      run: exportLog,
    },
  ];
  return actions
    .filter(({ permission }) => permission === undefined || allows(role, permission))
    .map((action) => ({ id: `action ${action.label}`, ...action }));
}

/** The settings of the person. */
export function useAccountActions(): readonly PaletteItem[] {
  const navigate = useNavigate();
  const signOut = useSignOut();
  const account = (hash?: string) => () =>
    navigate({ to: '/account', ...(hash === undefined ? {} : { hash }) });
  const actions: readonly Action[] = [
    {
      label: 'Account settings',
      icon: ShieldCheck,
      words: 'password second factor sessions',
      run: account(),
    },
    { label: 'Change time zone', icon: Clock, words: 'dates UTC', run: account('time-zone') },
    { label: 'Light theme', icon: Sun, run: () => setTheme('light') },
    { label: 'Dark theme', icon: Moon, run: () => setTheme('dark') },
    { label: 'System theme', icon: Monitor, run: () => setTheme('system') },
    { label: 'Sign out', icon: LogOut, words: 'log out', run: signOut },
  ];
  return actions.map((action) => ({ id: `account ${action.label}`, ...action }));
}
