import type { Time } from '@svc/sdk';
import type { ReactNode } from 'react';
import { formatNumber } from '../../format/number.ts';
import { useTimeZone } from '../../format/time-zone.ts';
import { spanName } from '../../plots/legend.tsx';
import { Button } from '../../ui/button.tsx';
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../../ui/table.tsx';

interface Span {
  readonly at: Time;
  readonly errors: number;
}

export interface SpanTableProps<S extends Span> {
  readonly step: 'hour' | 'day';
  /** The oldest first. */
  readonly spans: readonly S[];
  /** Names of the fields with requests, with their labels. The failed ones follow. */
  readonly columns: readonly (readonly [name: keyof S & string, label: string])[];
  /** Links a text to the requests of a span, or only to the failed ones. */
  readonly link: (at: Time, failed: boolean, text: string) => ReactNode;
}

const NUMBER = '!text-end tabular-nums';

/** The bars of a plot as a table, newest first, with links to the log. For keyboards, screen readers and copying. */
export function SpanTable<S extends Span>({ step, spans, columns, link }: SpanTableProps<S>) {
  useTimeZone();
  return (
    <div className="mt-3 max-h-80 overflow-y-auto rounded-md border border-line">
      <Table label={`Requests per ${step}, as a table`}>
        <TableHead>
          <tr>
            <HeadCell>{step === 'day' ? 'Day' : 'Hour'}</HeadCell>
            {columns.map(([name, label]) => (
              <HeadCell key={name} className={NUMBER}>
                {label}
              </HeadCell>
            ))}
            <HeadCell className={NUMBER}>Failed</HeadCell>
          </tr>
        </TableHead>
        <TableBody>
          {spans
            .filter((span) => columns.some(([name]) => Number(span[name]) > 0))
            .toReversed()
            .map((span) => (
              <Row key={span.at}>
                <Cell className="!h-8">{link(span.at, false, spanName(step, span))}</Cell>
                {columns.map(([name]) => (
                  <Cell key={name} className={`!h-8 ${NUMBER}`}>
                    {formatNumber(Number(span[name]))}
                  </Cell>
                ))}
                <Cell className={`!h-8 ${NUMBER}`}>
                  {span.errors === 0 ? '0' : link(span.at, true, `${formatNumber(span.errors)} failed`)}
                </Cell>
              </Row>
            ))}
        </TableBody>
      </Table>
    </div>
  );
}

export interface TableButtonProps {
  readonly shown: boolean;
  readonly onToggle: (shown: boolean) => void;
}

/** Shows and hides the table of a plot. */
export const TableButton = ({ shown, onToggle }: TableButtonProps) => (
  <Button size="small" variant="ghost" aria-expanded={shown} onClick={() => onToggle(!shown)}>
    {shown ? 'Hide table' : 'Show as table'}
  </Button>
);
