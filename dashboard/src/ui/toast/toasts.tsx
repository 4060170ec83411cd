import { useChunk } from '../../chunks/use-chunk.ts';
import { useToasts } from './toast-store.ts';

export const loadToaster = () => import('./toaster.tsx');

/** Loads the code of the toasts with the first toast. */
export function Toasts() {
  const wanted = useToasts().length > 0;
  const Toaster = useChunk(loadToaster, wanted);
  return wanted && Toaster !== null ? <Toaster /> : null;
}
