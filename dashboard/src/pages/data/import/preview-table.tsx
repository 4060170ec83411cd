import { requiredFields, writableFields } from '@svc/sdk/contract';
import type { ImportAnswer } from '@svc/service/dashboard/wire';
import { TriangleAlert } from 'lucide-react';
import type { ResourceContract } from '../../../resources/resources.ts';
import { classes } from '../../../ui/classes.ts';
import { Select } from '../../../ui/form/select.tsx';
import { Cell, HeadCell, Table, TableBody, TableHead } from '../../../ui/table.tsx';
import { type ColumnMap, missingFields } from './column-map.ts';
import type { FileHead, HeadRow } from './file-head.ts';

type Refused = ImportAnswer['refusedLines'][number];

export interface PreviewTableProps {
  readonly resource: ResourceContract;
  readonly head: FileHead;
  readonly map: ColumnMap;
  /** The rows that the service would refuse, by their place in the preview. */
  readonly refused: ReadonlyMap<number, Refused['failures']>;
  readonly onChange: (map: ColumnMap) => void;
}

/** The first records of a file: the field of each column, and the cells that would be refused, with the reason. */
export function PreviewTable({ resource, head, map, refused, onChange }: PreviewTableProps) {
  const { columns, rows, kind } = head;
  const required = requiredFields(resource, 'import');
  const fields = Object.keys(writableFields(resource, 'import'));
  const missing = missingFields(resource, map);
  const options = [
    { value: '', label: 'Leave out' },
    ...fields.map((name) => ({ value: name, label: required.includes(name) ? `${name} (required)` : name })),
  ];
  // The service finds a column by its name.
  const isAmbiguous = (column: string): boolean =>
    column === '' && columns.filter((name) => name === '').length > 1;
  const set = (index: number, field: string | null): void =>
    onChange(map.map((old, i) => (i === index ? field : old === field ? null : old)));
  return (
    <div className="flex flex-col gap-2">
      {missing.length === 0 ? null : (
        <p className="flex gap-2 rounded-md bg-warn-ground px-3 py-2 text-sm text-warn">
          <TriangleAlert size={15} aria-hidden className="mt-0.5 shrink-0" />
          {`Missing columns: ${missing.join(', ')}`}
        </p>
      )}
      <p className="text-sm text-soft">{`Preview (${kind}). Choose the field of each column.`}</p>
      <div className="max-h-96 overflow-y-auto rounded-md border border-line">
        <Table label="Preview of the file">
          <TableHead>
            <tr>
              <HeadCell>Line</HeadCell>
              {columns.map((column, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never move, and their names may repeat
                <HeadCell key={i} className="min-w-52 py-1.5 align-top">
                  <span className="mb-1 block truncate">{column || '(no name)'}</span>
                  <Select
                    aria-label={`Field of the column ${column || '(no name)'}`}
                    disabled={isAmbiguous(column)}
                    className="w-full font-normal text-ink"
                    value={map[i] ?? ''}
                    options={options}
                    onChange={({ target }) => set(i, target.value || null)}
                  />
                  {isAmbiguous(column) ? (
                    <span className="mt-1 block text-sm font-normal">
                      Name this column in the file first.
                    </span>
                  ) : null}
                </HeadCell>
              ))}
            </tr>
          </TableHead>
          <TableBody>
            {rows.map((row, i) => (
              <PreviewRow
                key={row.line}
                row={row}
                map={map}
                failures={refused.get(i) ?? []}
                columns={columns}
              />
            ))}
          </TableBody>
        </Table>
      </div>
    </div>
  );
}

interface PreviewRowProps {
  readonly row: HeadRow;
  readonly map: ColumnMap;
  readonly columns: readonly string[];
  readonly failures: Refused['failures'];
}

function PreviewRow({ row: { line, cells, flaw }, map, columns, failures }: PreviewRowProps) {
  const reasonOf = (index: number): string | undefined =>
    failures.find(({ field }) => map[index] !== null && field === `/${map[index]}`)?.reason;
  const shown = new Set(columns.map((_, i) => `/${map[i]}`));
  // A failure of a column that the file lacks is about the whole row.
  const whole = failures.filter(({ field }) => !shown.has(field));
  const problem = whole.map(({ field, reason }) => `${field.slice(1)} ${reason}`.trim()).join('; ') || flaw;
  return (
    <tr className={problem === null ? undefined : 'bg-bad-ground'}>
      <Cell className="!h-8 align-top text-sm tabular-nums">{line}</Cell>
      {problem === null ? null : cells.length === 0 ? (
        <Cell colSpan={columns.length} className="!h-8 text-sm text-bad">
          {problem}
        </Cell>
      ) : null}
      {cells.slice(0, columns.length).map((cell, i) => {
        const reason = reasonOf(i) ?? (i === 0 && problem !== null ? problem : undefined);
        return (
          <Cell
            // biome-ignore lint/suspicious/noArrayIndexKey: cells never move
            key={i}
            className={classes(
              '!h-8 max-w-56 align-top text-sm',
              map[i] === null && 'text-soft line-through',
              reason !== undefined && 'bg-bad-ground',
            )}
          >
            <span className="block truncate">{cell}</span>
            {reason === undefined ? null : <span className="block text-bad">{reason}</span>}
          </Cell>
        );
      })}
    </tr>
  );
}
