import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { classes } from '../ui/classes.ts';
import { Cell, Table, TableBody, TableHead } from '../ui/table.tsx';
import { ColumnHead, type ColumnHeadProps } from './column-head.tsx';
import { SelectAllCell, SelectCell } from './select-cells.tsx';
import type { Selection } from './selection.ts';

export interface Column<Item> extends ColumnHeadProps {
  readonly id: string;
  readonly cell: (item: Item) => ReactNode;
}

export interface VirtualTableProps<Item extends { readonly id: string }> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  /** Whether the list has more items than `items`. */
  readonly more: boolean;
  /** Called for a click on a row, outside its links and buttons. */
  readonly onOpen?: (item: Item) => void;
  readonly rowClassName?: (item: Item) => string | false;
  /** Adds a column with checkboxes. Default: rows cannot be selected. */
  readonly selection?: Selection<Item> | undefined;
  /** Names an item for the checkbox of its row. Default: its id. */
  readonly nameOf?: (item: Item) => string;
  /**
   * Height of every row.
   * @default 44, and 48 on a touch screen
   */
  readonly rowPixels?: number;
}

/** On a touch screen, two lines of buttons have 24 pixels each. */
const ROW_PIXELS = matchMedia('(pointer: coarse)').matches ? 48 : 44;
/** Rows to render above and below the visible ones. */
const OVERSCAN_ROWS = 4;

/** A table that renders only the visible rows and some around them, but all to print it. The window scrolls it. */
export function VirtualTable<Item extends { readonly id: string }>(props: VirtualTableProps<Item>) {
  const { label, columns, items, more, onOpen, rowClassName, rowPixels = ROW_PIXELS } = props;
  const { selection, nameOf = ({ id }) => id } = props;
  const container = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowPixels,
    overscan: OVERSCAN_ROWS,
    // Scrolling renders rows in one task, and the next lays them out. One task for both blocks a slow processor.
    useFlushSync: false,
    scrollMargin: top,
    // Otherwise the rows are rendered after the table, in one task that blocks a slow processor.
    initialRect: { width: innerWidth, height: innerHeight },
    // The virtualizer would scroll back to where the window was when its first render began.
    scrollToFn: () => undefined,
    getItemKey: (index) => items[index]?.id ?? index,
  });
  // In a task of its own: to measure in the commit would lay out the rows there.
  useEffect(() => {
    const measure = (): void => {
      const element = container.current;
      if (element === null) return;
      setTop(element.getBoundingClientRect().top + scrollY);
      // The window may have been scrolled since the first render.
      if (virtualizer.scrollOffset !== scrollY) dispatchEvent(new Event('scroll'));
    };
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, [virtualizer]);
  useStableScroll(items, top, rowPixels);
  const printing = usePrinting();
  const rows = virtualizer.getVirtualItems();
  const first = printing ? 0 : (rows[0]?.index ?? 0);
  const last = printing ? items.length - 1 : (rows.at(-1)?.index ?? -1);
  return (
    <div ref={container}>
      <Table label={label} aria-rowcount={more ? -1 : items.length + 1}>
        <TableHead>
          <tr aria-rowindex={1}>
            {selection === undefined ? null : <SelectAllCell selection={selection} />}
            {columns.map((column) => (
              <ColumnHead key={column.id} {...column} />
            ))}
          </tr>
        </TableHead>
        <TableBody>
          <Gap pixels={first * rowPixels} />
          {items.slice(first, last + 1).map((item, i) => (
            <tr
              key={item.id}
              aria-rowindex={first + i + 2}
              style={{ height: rowPixels }}
              onClick={(event) => {
                if (!isControl(event.target)) onOpen?.(item);
              }}
              className={classes(
                'hover:bg-hover/50',
                onOpen !== undefined && 'cursor-pointer',
                selection?.items.has(item.id) && 'bg-accent-ground',
                rowClassName?.(item),
              )}
            >
              {selection === undefined ? null : (
                <SelectCell
                  name={nameOf(item)}
                  checked={selection.items.has(item.id)}
                  onToggle={(range) => selection.toggle(item, range)}
                />
              )}
              {columns.map((column) => (
                <Cell key={column.id} className={classes('pointer-coarse:py-0', column.className)}>
                  {column.cell(item)}
                </Cell>
              ))}
            </tr>
          ))}
          <Gap pixels={(items.length - last - 1) * rowPixels} />
        </TableBody>
      </Table>
    </div>
  );
}

/** Whether the page is being printed. Rendered at once: the browser does not wait for a later task. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const begin = (): void => flushSync(() => setPrinting(true));
    const end = (): void => setPrinting(false);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return printing;
}

const isControl = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a, button, label') !== null;

/** An empty row as high as the rows that are not rendered. */
const Gap = ({ pixels }: { readonly pixels: number }) =>
  pixels <= 0 ? null : (
    <tr aria-hidden>
      <td style={{ height: pixels, padding: 0 }} />
    </tr>
  );

/** Keeps the scroll position when rows are added at the top. */
function useStableScroll(items: readonly { readonly id: string }[], top: number, rowPixels: number): void {
  const firstId = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const before = firstId.current;
    firstId.current = items[0]?.id;
    if (before === undefined) return;
    const moved = items.findIndex(({ id }) => id === before);
    // The browser lays out the rows to answer where the page is, so ask only if rows were added.
    if (moved > 0 && scrollY > top) {
      scrollBy({ top: moved * rowPixels, behavior: 'instant' });
      // So that the rows are rendered before the browser paints.
      dispatchEvent(new Event('scroll'));
    }
  }, [items, top, rowPixels]);
}
