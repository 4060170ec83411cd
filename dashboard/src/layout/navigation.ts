import { capitalized } from '@svc/sdk/contract';
import {
  ChartNoAxesColumn,
  KeyRound,
  type LucideIcon,
  ScrollText,
  Settings,
  SquareTerminal,
} from 'lucide-react';
import type { PagePath } from '../page-paths.ts';
import { resourceIcon } from '../resources/icon.ts';
import { DATA_RESOURCES } from '../resources/resources.ts';

export interface Destination {
  readonly to: Exclude<Extract<PagePath, `/w/$workspaceId${string}`>, `${string}/$recordId`>;
  /** Name of the resource, for its list. */
  readonly resource?: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Highlighted only on this path, not on paths below it. */
  readonly exact?: boolean;
}

export interface DestinationGroup {
  readonly label?: string;
  readonly items: readonly Destination[];
}

/** The pages of a workspace, for the sidebar and the command palette. */
export const NAVIGATION: readonly DestinationGroup[] = [
  {
    items: [
      { to: '/w/$workspaceId', label: 'Overview', icon: ChartNoAxesColumn, exact: true },
      { to: '/w/$workspaceId/keys', label: 'API keys', icon: KeyRound },
      { to: '/w/$workspaceId/log', label: 'Audit log', icon: ScrollText },
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
