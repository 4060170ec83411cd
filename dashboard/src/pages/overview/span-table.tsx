import type { Traffic } from '@svc/service/dashboard/wire';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../../format/number.ts';
import { spanName } from '../../plots/legend.tsx';
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../../ui/table.tsx';
import { logOfSpan } from './log-link.ts';

export interface SpanTableProps {
  readonly workspaceId: string;
  readonly traffic: Traffic;
}

const NUMBER = '!text-end tabular-nums';

/** The bars of the plot as a table, newest first, with links to the log. For keyboards, screen readers and copying. */
export function SpanTable({ workspaceId, traffic: { step, spans } }: SpanTableProps) {
  const link = (at: string, failed: boolean, text: string) => (
    <Link
      to="/w/$workspaceId/log"
      params={{ workspaceId }}
      search={logOfSpan(step, at, failed)}
      className="text-accent hover:underline"
    >
      {text}
    </Link>
  );
  return (
    <div className="mt-3 max-h-80 overflow-y-auto rounded-md border border-line">
      <Table label={`Requests per ${step}, as a table`}>
        <TableHead>
          <tr>
            <HeadCell>{step === 'day' ? 'Day' : 'Hour'}</HeadCell>
            <HeadCell className={NUMBER}>Live</HeadCell>
            <HeadCell className={NUMBER}>Test</HeadCell>
            <HeadCell className={NUMBER}>Failed</HeadCell>
          </tr>
        </TableHead>
        <TableBody>
          {spans
            .filter(({ live, test }) => live + test > 0)
            .toReversed()
            .map((span) => (
              <Row key={span.at}>
                <Cell className="!h-8">{link(span.at, false, spanName(step, span))}</Cell>
                <Cell className={`!h-8 ${NUMBER}`}>{formatNumber(span.live)}</Cell>
                <Cell className={`!h-8 ${NUMBER}`}>{formatNumber(span.test)}</Cell>
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
