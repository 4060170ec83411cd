import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type uPlot from 'uplot';
import { useShownTheme } from '../theme/theme.ts';

export interface PlotColors {
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly edge: string;
  readonly surface: string;
  readonly accent: string;
  readonly good: string;
  readonly warn: string;
  readonly bad: string;
}

const NAMES = ['ink', 'soft', 'line', 'edge', 'surface', 'accent', 'good', 'warn', 'bad'] as const;

export interface PlotProps {
  /** What the plot shows, in a sentence, for those who do not see it. */
  readonly label: string;
  /** Aligned columns: x in seconds since the epoch, then one per series. */
  readonly data: uPlot.AlignedData;
  /** Gets uPlot itself for its ways to draw. Made anew when the theme, the data or this function changes: memoise it. */
  readonly options: (colors: PlotColors, library: typeof uPlot) => Omit<uPlot.Options, 'width' | 'height'>;
  /** Pixels. */
  readonly height: number;
}

const libraryQuery = queryOptions({
  queryKey: ['uplot'],
  queryFn: () => import('./uplot.ts'),
  staleTime: Number.POSITIVE_INFINITY,
  structuralSharing: false,
});

/** uPlot in the colours of the theme and as wide as its place, which has its height before uPlot is there. */
export function Plot({ label, data, options, height }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useShownTheme();
  const { data: library, error } = useQuery(libraryQuery);
  useEffect(() => {
    const element = place.current;
    if (element === null || library === undefined) return;
    // The effect runs after the theme's style has changed, so the colours are read of the one that is shown.
    element.dataset['theme'] = theme;
    let erase = (): void => undefined;
    // Each plot in a task of its own: several in one would hold up the browser.
    const timer = setTimeout(() => {
      const UPlot = library.default;
      const plot = new UPlot(
        { ...options(readColors(element), UPlot), width: element.clientWidth, height },
        data,
        element,
      );
      const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
      observer.observe(element);
      erase = () => {
        observer.disconnect();
        plot.destroy();
      };
    });
    return () => {
      clearTimeout(timer);
      erase();
    };
  }, [data, options, height, theme, library]);
  if (error !== null) {
    return (
      <p className="flex items-center justify-center text-soft" style={{ height }}>
        The plot could not be loaded. Reload the page to try again.
      </p>
    );
  }
  return (
    <div ref={place} role="img" aria-label={label} className="w-full min-w-0" style={{ minHeight: height }} />
  );
}

/** light-dark() in a variable is text; as a colour of an element it is resolved. */
function readColors(element: HTMLElement): PlotColors {
  const probe = document.createElement('span');
  element.append(probe);
  const colors = Object.fromEntries(
    NAMES.map((name) => {
      probe.style.color = `var(--${name})`;
      return [name, getComputedStyle(probe).color];
    }),
  );
  probe.remove();
  return colors as unknown as PlotColors;
}
