import { useChunk } from '../../chunks/use-chunk.ts';
import type { TooltipProps } from './tooltip.tsx';

export const loadTooltip = () => import('./tooltip.tsx');

/** A tooltip whose code is loaded with the first one on a page. */
export function LazyTooltip(props: TooltipProps) {
  const Tooltip = useChunk(loadTooltip, true);
  return Tooltip === null ? props.children : <Tooltip {...props} />;
}
