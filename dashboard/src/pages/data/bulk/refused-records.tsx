import { formatNumber } from '../../../format/number.ts';
import { counted } from '../../../format/plural.ts';
import { nounOf } from '../../../resources/labels.ts';
import { type DataRecord, type ResourceContract, titleOf } from '../../../resources/resources.ts';
import { Cell, HeadCell, Table, TableBody, TableHead } from '../../../ui/table.tsx';
import type { Refusal } from './in-chunks.ts';

/** The most rows of the table, so that it never slows down the page. */
const SHOWN_MAX = 200;

export interface RefusedRecordsProps {
  readonly resource: ResourceContract;
  readonly refused: readonly Refusal<DataRecord>[];
}

/** The records that the service refused to write, each with the reason. */
export const RefusedRecords = ({ resource, refused }: RefusedRecordsProps) =>
  refused.length === 0 ? null : (
    <div className="flex flex-col gap-2">
      <p>
        <strong>{`${counted(refused.length, nounOf(resource))} not written`}</strong>
        {refused.length > SHOWN_MAX ? `, ${formatNumber(SHOWN_MAX)} shown` : ''}
      </p>
      <div className="max-h-72 overflow-y-auto rounded-md border border-line">
        <Table label="Records that were not written">
          <TableHead>
            <tr>
              <HeadCell>Record</HeadCell>
              <HeadCell>Reason</HeadCell>
            </tr>
          </TableHead>
          <TableBody>
            {refused.slice(0, SHOWN_MAX).map(({ item, reason }) => (
              <tr key={item.id}>
                <Cell className="max-w-48 truncate align-top">
                  <bdi>{titleOf(resource, item)}</bdi>
                </Cell>
                <Cell className="align-top text-sm">{reason}</Cell>
              </tr>
            ))}
          </TableBody>
        </Table>
      </div>
    </div>
  );
