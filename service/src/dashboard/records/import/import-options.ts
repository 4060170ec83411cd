import { type Columns, ROW_CELLS_MAX } from '@svc/csv-lines';
import { allowParameters } from '../../../api/guards.ts';
import { ApiError } from '../../../http/errors.ts';
import { withoutToken } from '../../../http/request.ts';
import type { RawQuery } from '../../../list/query.ts';
import { FILE_NAME_MAX_CHARACTERS } from '../../limits.ts';

/** How a file is imported, from the parameters of the request. */
export interface ImportParameters {
  /** The name of the file on the person's computer, for the audit log. */
  readonly fileName: string | undefined;
  readonly columns: Columns;
  readonly replace: boolean;
  readonly dryRun: boolean;
}

/** Throws `invalid_parameter`. */
export function importParameters(query: RawQuery): ImportParameters {
  allowParameters(query, ['fileName', 'columns', 'existing', 'dryRun']);
  const { fileName, columns, existing = 'keep', dryRun = 'false' } = query;
  const refuse = (name: string, allowed: string): never => {
    throw new ApiError('invalid_parameter', `"${name}" must be ${allowed}.`);
  };
  if (existing !== 'keep' && existing !== 'replace') refuse('existing', 'keep or replace');
  if (dryRun !== 'true' && dryRun !== 'false') refuse('dryRun', 'true or false');
  const named = typeof fileName === 'string';
  if (named && (fileName === '' || fileName.length > FILE_NAME_MAX_CHARACTERS))
    refuse('fileName', `1 to ${FILE_NAME_MAX_CHARACTERS} characters`);
  return {
    fileName: named ? withoutToken(fileName) : undefined,
    columns:
      typeof columns === 'string' ? (columnsOf(columns) ?? refuse('columns', COLUMNS_ALLOWED)) : new Map(),
    replace: existing === 'replace',
    dryRun: dryRun === 'true',
  };
}

const COLUMNS_ALLOWED = `a JSON object of at most ${ROW_CELLS_MAX} columns, each with the name of a field or null`;

function columnsOf(text: string): Columns | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value);
    const valid = entries.every(([, name]) => name === null || typeof name === 'string');
    if (valid && entries.length <= ROW_CELLS_MAX) return new Map(entries as [string, string | null][]);
  } catch {}
  return undefined;
}
