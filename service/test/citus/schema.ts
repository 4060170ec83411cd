import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadModule, parseSync } from 'libpg-query';

import {
  TABLE_PLACEMENTS,
  type TablePlacement,
  workspaceColumn,
} from '../../src/database/citus/placements.ts';
import { lastName, list, names, of, type Tree, text } from './tree.ts';

await loadModule();

const FILE = join(import.meta.dirname, '../../schema.sql');

interface Table {
  readonly columns: readonly string[];
  readonly placement: TablePlacement;
  /** The column of the workspace. Undefined: the table is not distributed. */
  readonly workspace: string | undefined;
}

export type Volatility = 'immutable' | 'stable' | 'volatile';

export interface Schema {
  readonly tables: ReadonlyMap<string, Table>;
  /** The queries of the views, by name. */
  readonly views: ReadonlyMap<string, Tree>;
  /** The functions that the migrations create. */
  readonly functions: ReadonlyMap<string, Volatility>;
  /** What of the tables cannot be distributed. */
  readonly faults: readonly string[];
}

/** The schema that the migrations produce, or `sql` instead of it. */
export function readSchema(sql: string = readFileSync(FILE, 'utf8')): Schema {
  const tables = new Map<string, Table>();
  const views = new Map<string, Tree>();
  const functions = new Map<string, Volatility>();
  const faults: string[] = [];
  const keys: { readonly table: string; readonly constraint: Tree }[] = [];
  for (const { stmt } of parseSync(sql).stmts ?? []) {
    const create = of(stmt, 'CreateStmt');
    if (create !== undefined) {
      const name = text((create['relation'] as Tree)['relname']);
      const parts = list(create['tableElts']);
      const columns = parts.flatMap((part) => text(of(part, 'ColumnDef')?.['colname']) || []);
      tables.set(name, tableOf(name, columns));
      for (const part of parts) {
        const constraint = of(part, 'Constraint');
        if (constraint !== undefined) keys.push({ table: name, constraint });
      }
    }
    const view = of(stmt, 'ViewStmt');
    const select = of(view?.['query'], 'SelectStmt');
    if (view !== undefined && select !== undefined)
      views.set(text((view['view'] as Tree)['relname']), select);
    const created = of(stmt, 'CreateFunctionStmt');
    if (created !== undefined) functions.set(lastName(created['funcname']), volatilityOf(created));
    const index = of(stmt, 'IndexStmt');
    if (index?.['unique'] === true) {
      const table = text((index['relation'] as Tree)['relname']);
      const columns = list(index['indexParams']).map((each) => text(of(each, 'IndexElem')?.['name']));
      faults.push(...uniqueFaults(tables, table, columns));
    }
  }
  for (const { table, constraint } of keys) faults.push(...constraintFaults(tables, table, constraint));
  return { tables, views, functions, faults };
}

function tableOf(name: string, columns: readonly string[]): Table {
  const placement = TABLE_PLACEMENTS[name] ?? (columns.includes('workspace_id') ? 'workspace' : 'reference');
  return { columns, placement, workspace: placement === 'workspace' ? workspaceColumn(name) : undefined };
}

const VOLATILITIES: readonly string[] = ['immutable', 'stable'] satisfies readonly Volatility[];

function volatilityOf(created: Tree): Volatility {
  for (const option of list(created['options'])) {
    const { defname, arg } = of(option, 'DefElem') ?? {};
    const value = text(of(arg, 'String')?.['sval']);
    if (defname === 'volatility' && VOLATILITIES.includes(value)) return value as Volatility;
  }
  return 'volatile';
}

function uniqueFaults(
  tables: ReadonlyMap<string, Table>,
  table: string,
  columns: readonly string[],
): readonly string[] {
  const { workspace } = tables.get(table) ?? {};
  if (workspace === undefined || columns.includes(workspace)) return [];
  return [`${table}: the unique index on ${columns.join(', ')} does not contain ${workspace}`];
}

function constraintFaults(
  tables: ReadonlyMap<string, Table>,
  table: string,
  constraint: Tree,
): readonly string[] {
  const { contype } = constraint;
  if (contype === 'CONSTR_PRIMARY' || contype === 'CONSTR_UNIQUE')
    return uniqueFaults(tables, table, names(constraint['keys']));
  if (contype !== 'CONSTR_FOREIGN') return [];
  const target = text((constraint['pktable'] as Tree)['relname']);
  const [from, to] = [tables.get(table), tables.get(target)];
  const key = `${table}: the foreign key to ${target}`;
  if (from === undefined || to === undefined) return [`${key} is not known`];
  if (to.placement === 'reference') return [];
  if (from.placement !== 'workspace')
    return [`${key} refers from a ${from.placement} table to a distributed one`];
  if (to.placement === 'local') return [`${key} refers to a local table`];
  const place = names(constraint['fk_attrs']).indexOf(from.workspace ?? '');
  return names(constraint['pk_attrs'])[place] === to.workspace ? [] : [`${key} is not by workspace`];
}
