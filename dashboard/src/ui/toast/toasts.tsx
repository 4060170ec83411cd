import { useChunk } from '../../chunks/use-chunk.ts';
import { useToasts } from './toast-store.ts';

export const loadToaster = () => import('./toaster.tsx');

/** The toasts, whose code is loaded with the first of them unless it is there already. */
export function Toasts() {
  const wanted = useToasts().length > 0;
  const Toaster = useChunk(loadToaster, wanted);
  return wanted && Toaster !== null ? <Toaster /> : null;
}
