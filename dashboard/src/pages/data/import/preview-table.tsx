import { TriangleAlert } from 'lucide-react';
import { Cell, HeadCell, Table, TableBody, TableHead } from '../../../ui/table.tsx';
import type { FilePreview } from './file-preview.ts';

/** The first records of a file, with a warning about missing and unknown columns. */
export const PreviewTable = ({
  preview: { format, columns, rows, missing, unknown },
}: {
  readonly preview: FilePreview;
}) => (
  <div className="flex flex-col gap-2">
    {missing.length === 0 ? null : <Warning>{`Missing columns: ${missing.join(', ')}`}</Warning>}
    {unknown.length === 0 ? null : <Warning>{`Unknown columns: ${unknown.join(', ')}`}</Warning>}
    <p className="text-sm text-soft">{`Preview (${format === 'csv' ? 'CSV' : 'NDJSON'})`}</p>
    <div className="overflow-hidden rounded-md border border-line">
      <Table label="Preview of the file">
        <TableHead>
          <tr>
            {columns.map((column) => (
              <HeadCell key={column}>{column}</HeadCell>
            ))}
          </tr>
        </TableHead>
        <TableBody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no id and never move
            <tr key={row}>
              {cells.map((cell, column) => (
                <Cell
                  key={columns[column] ?? column}
                  className="!h-8 max-w-56 truncate text-sm whitespace-nowrap"
                >
                  {cell}
                </Cell>
              ))}
            </tr>
          ))}
        </TableBody>
      </Table>
    </div>
  </div>
);

const Warning = ({ children }: { readonly children: string }) => (
  <p className="flex gap-2 rounded-md bg-warn-ground px-3 py-2 text-sm text-warn">
    <TriangleAlert size={15} aria-hidden className="mt-0.5 shrink-0" />
    {children}
  </p>
);
