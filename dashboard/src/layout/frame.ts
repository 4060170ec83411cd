/** The classes of the frame of every page after the sign-in. The frame that is loading has the same, so nothing moves. */
export const FRAME_CLASS = 'print:block! lg:grid lg:min-h-dvh lg:grid-cols-[15rem_minmax(0,1fr)]';
export const SIDE_CLASS = 'sticky top-0 hidden h-dvh border-e border-line bg-sunken lg:block print:hidden!';
export const BAR_CLASS =
  'sticky top-0 z-30 flex h-12 items-center gap-2 border-b border-line bg-surface px-2 lg:hidden print:hidden';
