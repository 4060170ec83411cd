/** Classes of all dialogs and of what is behind them. */

export const OVERLAY_CLASS = 'fixed inset-0 z-40 animate-fade bg-(--scrim)';
export const PANEL_CLASS =
  'fixed z-50 left-1/2 top-1/2 flex max-h-[min(90dvh,56rem)] w-[calc(100vw-1.5rem)] -translate-x-1/2 -translate-y-1/2 ' +
  'animate-fade flex-col rounded-xl border border-line bg-raised shadow-high';
