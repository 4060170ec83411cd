import {
  Building2,
  ClipboardCheck,
  Database,
  FileText,
  type LucideIcon,
  MessageSquareQuote,
} from 'lucide-react';

/** Icons are a matter of taste, so the contract has none. A resource that is not listed gets the default icon. */
const ICONS: Readonly<Record<string, LucideIcon>> = {
  audits: ClipboardCheck,
  mentions: MessageSquareQuote,
  content: FileText,
  companies: Building2,
};

/** The icon of a resource. */
export const resourceIcon = (name: string): LucideIcon => ICONS[name] ?? Database;
