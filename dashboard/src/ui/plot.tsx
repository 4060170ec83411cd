import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
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
  /** Made anew when the theme, the data or this function changes: memoise it. */
  readonly options: (colors: PlotColors) => Omit<uPlot.Options, 'width' | 'height'>;
  /** Pixels. */
  readonly height: number;
}

/** uPlot in the colours of the theme and as wide as its place. */
export function Plot({ label, data, options, height }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useShownTheme();
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    // The effect runs after the theme's style has changed, so the colours are read of the one that is shown.
    element.dataset['theme'] = theme;
    const plot = new uPlot(
      { ...options(readColors(element)), width: element.clientWidth, height },
      data,
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [data, options, height, theme]);
  return <div ref={place} role="img" aria-label={label} className="w-full min-w-0" />;
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
