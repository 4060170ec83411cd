import { lazy, Suspense } from 'react';
import { useToasts } from './toast-store.ts';

const Toaster = lazy(() => import('./toaster.tsx'));

/** The toasts, whose code is loaded with the first of them. */
export const Toasts = () =>
  useToasts().length === 0 ? null : (
    <Suspense>
      <Toaster />
    </Suspense>
  );
