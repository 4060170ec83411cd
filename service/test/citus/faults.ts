import { parseSync } from 'libpg-query';
import { tablesOf, type Use } from './routing.ts';
import type { Schema } from './schema.ts';
import { lastName, list, of, some, type Tree, text, walk } from './tree.ts';
import { contains, volatilityOf } from './volatility.ts';

/** Why Citus would refuse a statement, or send it to all nodes. */
export type Rule =
  | 'unbound'
  | 'several workspaces'
  | 'writes several workspaces'
  | 'locks several workspaces'
  | 'local table'
  | 'system catalog'
  | 'unknown function'
  | 'volatile change'
  | 'stable change of a column'
  | 'mutable case in a change'
  | 'mutable returning'
  | 'mutable conflict'
  | 'subquery in values';

export interface Fault {
  readonly rule: Rule;
  /** The table, or the function. */
  readonly what: string;
}

/** The faults of one statement. Empty: each node of a cluster can run it for the rows of one workspace. */
export function faultsOf(sql: string, schema: Schema): readonly Fault[] {
  const [first] = parseSync(sql).stmts ?? [];
  const uses = tablesOf(first?.stmt, schema);
  const catalogs = catalogsIn(first?.stmt);
  const isCitus = uses.some(({ table }) => schema.tables.get(table)?.placement !== undefined);
  const onCluster = uses.some(({ bound }) => bound !== undefined);
  const mixed = onCluster ? catalogs.map((what): Fault => ({ rule: 'system catalog', what })) : [];
  const locks = some(first?.stmt, (type) => type === 'LockingClause') ? lockFaults(uses) : [];
  return [
    ...routingFaults(uses, schema),
    ...locks,
    ...mixed,
    ...(isCitus ? changeFaults(first?.stmt, schema) : []),
  ];
}

function routingFaults(uses: readonly Use[], schema: Schema): readonly Fault[] {
  const faults: Fault[] = [];
  const distributed = uses.filter(({ bound }) => bound !== undefined);
  const values = new Set<string>();
  for (const { table, written, bound } of distributed) {
    if (bound?.kind === 'one') values.add(bound.value);
    if (bound?.kind === 'none') faults.push({ rule: 'unbound', what: table });
    if (bound?.kind === 'many')
      faults.push({ rule: written ? 'writes several workspaces' : 'several workspaces', what: table });
  }
  if (values.size > 1) faults.push({ rule: 'several workspaces', what: [...values].join(', ') });
  if (distributed.length > 0)
    for (const { table } of uses)
      if (schema.tables.get(table)?.placement === 'local') faults.push({ rule: 'local table', what: table });
  return faults;
}

/** Citus locks rows of one node only. */
const lockFaults = (uses: readonly Use[]): readonly Fault[] =>
  uses.some(({ bound }) => bound !== undefined && bound.kind !== 'one')
    ? [{ rule: 'locks several workspaces', what: uses.map(({ table }) => table).join(', ') }]
    : [];

function catalogsIn(statement: unknown): readonly string[] {
  const found = new Set<string>();
  walk(statement, (type, body) => {
    const name = text(body['relname']);
    if (type === 'RangeVar' && (/^pg_/.test(name) || body['schemaname'] === 'information_schema'))
      found.add(name);
    return true;
  });
  return [...found];
}

/** What Citus refuses in statements that change rows, wherever these are in the statement. */
function changeFaults(statement: unknown, schema: Schema): readonly Fault[] {
  const faults: Fault[] = [];
  walk(statement, (type, body) => {
    if (type !== 'UpdateStmt' && type !== 'DeleteStmt' && type !== 'InsertStmt') return true;
    const what = text((body['relation'] as Tree)['relname']);
    if (!schema.tables.has(what)) return true;
    const note = (rule: Rule, found: boolean): void => void (found && faults.push({ rule, what }));
    const returning = (body['returningClause'] as Tree | undefined)?.['exprs'];
    const conflict = body['onConflictClause'] as Tree | undefined;
    const updated = [valuesOf(conflict?.['targetList']), conflict?.['whereClause']];
    const changed = type === 'InsertStmt' ? [] : [body['whereClause'], valuesOf(body['targetList'])];
    note('mutable returning', contains(returning, 'stable', schema, true));
    note('mutable conflict', contains(updated, 'stable', schema, true));
    const joined = type === 'InsertStmt' ? [] : body['fromClause'];
    const isVolatile =
      contains(changed, 'volatile', schema, false) || contains(joined, 'volatile', schema, true);
    note('volatile change', isVolatile);
    note('stable change of a column', hasStableColumn(changed, schema));
    note(
      'mutable case in a change',
      hasMutableCase(changed, schema, false) || hasMutableCase(joined, schema, true),
    );
    const rows = type === 'InsertStmt' ? of(body['selectStmt'], 'SelectStmt')?.['valuesLists'] : [];
    note(
      'subquery in values',
      some([rows, updated], (each) => each === 'SubLink'),
    );
    walk([returning, updated, changed], (each, call) => {
      if (volatilityOf(each, call, schema) === undefined)
        faults.push({ rule: 'unknown function', what: lastName(call['funcname']) });
      return true;
    });
    return true;
  });
  return faults;
}

const valuesOf = (targets: unknown): readonly unknown[] =>
  list(targets).map((each) => of(each, 'ResTarget')?.['val']);

function hasColumn(node: unknown): boolean {
  let found = false;
  walk(node, (type) => {
    found ||= type === 'ColumnRef';
    return type !== 'SelectStmt';
  });
  return found;
}

/** Whether a stable function gets a column, outside of subqueries. */
function hasStableColumn(node: unknown, schema: Schema): boolean {
  let found = false;
  walk(node, (type, body) => {
    const stable = type !== 'SelectStmt' && volatilityOf(type, body, schema) === 'stable';
    found ||= stable && hasColumn(body);
    return type !== 'SelectStmt';
  });
  return found;
}

/** Whether a CASE or COALESCE depends on more than its values. Without `inSubqueries`, those outside of subqueries count. */
function hasMutableCase(node: unknown, schema: Schema, inSubqueries: boolean): boolean {
  let found = false;
  walk(node, (type, body) => {
    if (type === 'CaseExpr' || type === 'CoalesceExpr') found ||= contains(body, 'stable', schema, false);
    return inSubqueries || type !== 'SelectStmt';
  });
  return found;
}
