import type { Page } from 'playwright-core';

/** A dialog, a menu or a popover, and how it is used with the keyboard only. */
export interface PopupCase {
  /** What renders it, below src/. A part of several popups is in the case of each. */
  readonly files: readonly string[];
  /** Below the workspace, or from the root. */
  readonly page: string;
  /** What opens it by Enter. */
  readonly trigger: string | RegExp;
  /** The item of the trigger's menu that opens it. */
  readonly item?: string;
  readonly role: 'dialog' | 'alertdialog' | 'menu';
  readonly width?: number;
  /** Uses it once it is open. */
  readonly use: (page: Page) => Promise<void>;
}

export const type = (page: Page, text: string): Promise<void> => page.keyboard.type(text);
