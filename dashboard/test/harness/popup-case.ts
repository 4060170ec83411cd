import type { Page } from 'playwright-core';

/** A dialog, a menu or a popover, and a way to use it with only the keyboard. */
export interface PopupCase {
  /** The files below src/ that render it. A file with several popups is in each of their cases. */
  readonly files: readonly string[];
  /** Path of the page, below the workspace, or `/account`. */
  readonly page: string;
  /** What makes the trigger appear. */
  readonly before?: (page: Page) => Promise<void>;
  /** Name of the button that opens it. */
  readonly trigger: string | RegExp;
  /** The key that opens it. Default: Enter. */
  readonly key?: string;
  /** What opens it while the trigger has the focus, instead of a key. */
  readonly opens?: (page: Page) => Promise<unknown>;
  /** Name of the menu item that opens it, if the trigger opens a menu. */
  readonly item?: string;
  readonly role: 'dialog' | 'alertdialog' | 'menu';
  readonly width?: number;
  /** Uses the open popup. */
  readonly use: (page: Page) => Promise<void>;
}

export const type = (page: Page, text: string): Promise<void> => page.keyboard.type(text);
