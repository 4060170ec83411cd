import { requiredFields, writableFields } from '@svc/sdk/contract';
import { fieldLabel } from '../../../resources/labels.ts';
import type { ResourceContract } from '../../../resources/resources.ts';

/** The field for each column of a file; null: the column is left out. */
export type ColumnMap = readonly (string | null)[];

const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Guesses the field of each column by its name: `companyId`, `company_id`, "Company". Each field is used once. */
export function guessColumns(resource: ResourceContract, columns: readonly string[]): ColumnMap {
  const fields = Object.keys(writableFields(resource, 'import'));
  const used = new Set<string>();
  const take = (column: string, matches: (field: string) => boolean): string | null => {
    const found = fields.find((field) => !used.has(field) && matches(field) && column !== '');
    if (found !== undefined) used.add(found);
    return found ?? null;
  };
  // Exact names first, so that no other column takes their field.
  const exact = columns.map((column) => take(column, (field) => field === column));
  return exact.map((field, i) => {
    const name = plain(columns[i] ?? '');
    return (
      field ?? take(columns[i] ?? '', (other) => plain(other) === name || plain(fieldLabel(other)) === name)
    );
  });
}

/** The required fields that no column has. */
export const missingFields = (resource: ResourceContract, map: ColumnMap): readonly string[] =>
  requiredFields(resource, 'import').filter((name) => !map.includes(name));

/** The parameter `columns` of an import: only what differs from the names of the fields. */
export function columnsParameter(columns: readonly string[], map: ColumnMap): string | undefined {
  const changed = columns.flatMap((column, i) => (map[i] === column ? [] : [[column, map[i] ?? null]]));
  return changed.length === 0 ? undefined : JSON.stringify(Object.fromEntries(changed));
}
