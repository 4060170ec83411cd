import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type uPlot from 'uplot';
import { useTimeZone } from '../format/time-zone.ts';
import { ownTask } from '../tasks.ts';
import { useShownTheme } from '../theme/theme.ts';

const NAMES = ['ink', 'soft', 'line', 'edge', 'surface', 'accent', 'good', 'warn', 'bad'] as const;

export type PlotColors = Readonly<Record<(typeof NAMES)[number], string>>;

export interface PlotProps {
  /** What the plot shows, in a sentence, for screen readers. */
  readonly label: string;
  /** The time zone of the axis. It is named below the plot. */
  readonly zone: string;
  /** Aligned columns: x in seconds since the epoch, then one per series. */
  readonly data: uPlot.AlignedData;
  /** The plot is drawn again when the theme, the data or this function changes, so memoise it. */
  readonly options: (colors: PlotColors, library: typeof uPlot) => Omit<uPlot.Options, 'width' | 'height'>;
  /** In pixels. */
  readonly height: number;
}

const libraryQuery = queryOptions({
  queryKey: ['uplot'],
  queryFn: async () => {
    await ownTask();
    return import('./uplot.ts');
  },
  staleTime: Number.POSITIVE_INFINITY,
  structuralSharing: false,
});

/** The zone of a plot: that of the viewer. Figures per day are per day in UTC, so their plots are in UTC. */
export function usePlotZone(step?: 'hour' | 'day'): string {
  const zone = useTimeZone();
  return step === 'day' ? 'UTC' : zone;
}

/** A uPlot in the colours of the theme, as wide as its container. The height is reserved before uPlot is loaded. */
export function Plot({ label, zone, data, options, height }: PlotProps) {
  const container = useRef<HTMLDivElement>(null);
  const theme = useShownTheme();
  const { data: library, error } = useQuery(libraryQuery);
  useEffect(() => {
    const element = container.current;
    if (element === null || library === undefined) return;
    // Effects run after the theme's styles are applied, so readColors reads the colours of the current theme.
    element.dataset['theme'] = theme;
    let destroy = (): void => undefined;
    // Create each plot in its own task, and draw it in the next one. Together they would block the browser.
    let timer = setTimeout(() => {
      const UPlot = library.default;
      // Its first call, for the size that the plot has, would draw the plot again.
      const observer = new ResizeObserver(() => {
        const width = element.clientWidth;
        if (width !== plot.width) plot.setSize({ width, height });
      });
      const plot = new UPlot(
        {
          ...options(readColors(element), UPlot),
          tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), zone),
          width: element.clientWidth,
          height,
        },
        data,
        ({ root }, draw) => {
          element.append(root);
          timer = setTimeout(() => {
            draw();
            observer.observe(element);
          });
        },
      );
      destroy = () => {
        observer.disconnect();
        plot.destroy();
      };
    });
    return () => {
      clearTimeout(timer);
      destroy();
    };
  }, [data, options, zone, height, theme, library]);
  if (error !== null) {
    return (
      <p className="flex items-center justify-center text-soft" style={{ height }}>
        The chart could not be loaded. Reload the page to try again.
      </p>
    );
  }
  return (
    <>
      <div
        ref={container}
        role="img"
        aria-label={label}
        className="w-full min-w-0"
        style={{ minHeight: height }}
      />
      <p className="text-end text-xs text-soft">{`Time zone: ${zone}`}</p>
    </>
  );
}

/** The value of a CSS variable is unresolved text, such as light-dark(). The colour of an element is resolved. */
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
