import { capitalized } from '@svc/sdk/contract';
import { allows, type Permission } from '@svc/service/dashboard/permissions';
import {
  ChartNoAxesColumn,
  KeyRound,
  type LucideIcon,
  ScrollText,
  Settings,
  SquareTerminal,
  Webhook,
} from 'lucide-react';
import { useMe } from '../api/me.ts';
import type { PagePath } from '../page-paths.ts';
import { resourceIcon } from '../resources/icon.ts';
import { DATA_RESOURCES } from '../resources/resources.ts';

export interface Destination {
  readonly to: Exclude<
    Extract<PagePath, `/w/$workspaceId${string}`>,
    `${string}/$recordId` | `${string}/$endpointId${string}`
  >;
  /** Name of the resource, for its list. */
  readonly resource?: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Highlighted only on this path, not on paths below it. */
  readonly exact?: boolean;
  /** Shown only to people with this permission. Default: to every member. */
  readonly permission?: Permission;
}

export interface DestinationGroup {
  readonly label?: string;
  readonly items: readonly Destination[];
}

/** The pages of a workspace. */
const NAVIGATION: readonly DestinationGroup[] = [
  {
    items: [
      { to: '/w/$workspaceId', label: 'Overview', icon: ChartNoAxesColumn, exact: true },
      { to: '/w/$workspaceId/keys', label: 'API keys', icon: KeyRound },
      { to: '/w/$workspaceId/log', label: 'Audit log', icon: ScrollText },
      { to: '/w/$workspaceId/webhooks', label: 'Webhooks', icon: Webhook, permission: 'webhook.manage' },
    ],
  },
  {
    label: 'Data',
    items: DATA_RESOURCES.map(({ name, plural }) => ({
      to: '/w/$workspaceId/data/$resource',
      resource: name,
      label: capitalized(plural),
      icon: resourceIcon(name),
    })),
  },
  {
    label: 'Manage',
    items: [
      { to: '/w/$workspaceId/explorer', label: 'Explorer', icon: SquareTerminal },
      { to: '/w/$workspaceId/settings', label: 'Settings', icon: Settings },
    ],
  },
];

/** The pages of a workspace that the person may open, for the sidebar and the command palette. */
export function useNavigation(workspaceId: string | undefined): readonly DestinationGroup[] {
  const role = useMe().workspaces.find(({ id }) => id === workspaceId)?.role;
  if (role === undefined) return [];
  return NAVIGATION.map((group) => ({
    ...group,
    items: group.items.filter(({ permission }) => permission === undefined || allows(role, permission)),
  }));
}
