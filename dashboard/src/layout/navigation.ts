import {
  Building2,
  ChartNoAxesColumn,
  ClipboardCheck,
  FileText,
  KeyRound,
  type LucideIcon,
  MessageSquareQuote,
  ScrollText,
  Settings,
  SquareTerminal,
} from 'lucide-react';
import type { PagePath } from '../page-paths.ts';

export interface Destination {
  readonly to: Extract<PagePath, `/w/$workspaceId${string}`>;
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
    items: [
      { to: '/w/$workspaceId/data/audits', label: 'Audits', icon: ClipboardCheck },
      { to: '/w/$workspaceId/data/mentions', label: 'Mentions', icon: MessageSquareQuote },
      { to: '/w/$workspaceId/data/content', label: 'Content', icon: FileText },
      { to: '/w/$workspaceId/data/companies', label: 'Companies', icon: Building2 },
    ],
  },
  {
    label: 'Manage',
    items: [
      { to: '/w/$workspaceId/explorer', label: 'Explorer', icon: SquareTerminal },
      { to: '/w/$workspaceId/settings', label: 'Settings', icon: Settings },
    ],
  },
];
