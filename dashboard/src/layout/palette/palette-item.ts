import type { LucideIcon } from 'lucide-react';

/** Something that the command palette offers. */
export interface PaletteItem {
  /** Unique in the palette. */
  readonly id: string;
  readonly label: string;
  /** A second text, such as a domain or an email address. */
  readonly note?: string | null;
  readonly icon: LucideIcon;
  /** Further words that find the item. Default: only the label and the note. */
  readonly words?: string;
  readonly run: () => unknown;
}

export interface PaletteGroup {
  readonly heading: string;
  readonly items: readonly PaletteItem[];
}
