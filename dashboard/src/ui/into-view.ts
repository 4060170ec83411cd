/**
 * A ref for what appears in a dialog that may have to scroll: the person sees it at once. The element needs `scroll-mb-20`
 * if the buttons of the dialog stay visible below it.
 */
export const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });
