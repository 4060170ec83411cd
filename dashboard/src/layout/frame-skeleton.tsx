import { BAR_CLASS, FRAME_CLASS, SIDE_CLASS } from './frame.ts';
import { PageSkeleton } from './page-skeleton.tsx';

/** Shown while the person or the workspace loads, before the frame of the page is there. */
export const FrameSkeleton = () => (
  <div className={FRAME_CLASS}>
    <div className={SIDE_CLASS} />
    <div className={BAR_CLASS} />
    <main className="min-w-0">
      <PageSkeleton />
    </main>
  </div>
);
