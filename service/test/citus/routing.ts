import { type Bound, type Classes, createClasses } from './classes.ts';
import type { Schema } from './schema.ts';
import { find, functionSource, type Output, renamed, type Scope, type Source } from './scope.ts';
import { lastName, list, names, of, type Tree, text, walk } from './tree.ts';

/**
 * Finds for each table of a statement which workspace its rows belong to: it follows equal columns through joins,
 * subqueries and common table expressions to a parameter.
 */

/** A table in a statement. */
export interface Use {
  readonly table: string;
  /** Whether the statement writes it. */
  readonly written: boolean;
  /** The workspace of its rows. Undefined: the table is not distributed. */
  readonly bound: Bound | undefined;
}

interface Statement {
  readonly schema: Schema;
  readonly classes: Classes;
  readonly used: { readonly table: string; readonly written: boolean; readonly column: number | undefined }[];
}

/** The tables that a parsed statement uses. */
export function tablesOf(statement: unknown, schema: Schema): readonly Use[] {
  const state: Statement = { schema, classes: createClasses(), used: [] };
  query(state, statement, undefined);
  return state.used.map(({ table, written, column }) => ({
    table,
    written,
    bound: column === undefined ? undefined : state.classes.boundOf(column),
  }));
}

function query(state: Statement, node: unknown, outer: Scope | undefined): readonly Output[] {
  const scope: Scope = { sources: [], ctes: new Map(), outer };
  const select = of(node, 'SelectStmt');
  if (select !== undefined) return selectOf(state, select, scope);
  const insert = of(node, 'InsertStmt');
  if (insert !== undefined) return insertOf(state, insert, scope);
  const change = of(node, 'UpdateStmt') ?? of(node, 'DeleteStmt');
  if (change !== undefined) return changeOf(state, change, scope);
  const cursor = of(node, 'DeclareCursorStmt');
  // Other statements have no conditions: Citus sends each row of COPY to its node, and the rest goes to all nodes.
  if (cursor !== undefined) return query(state, cursor['query'], outer);
  return [];
}

function readCtes(state: Statement, body: Tree, scope: Scope): void {
  for (const each of list((body['withClause'] as Tree | undefined)?.['ctes'])) {
    const cte = of(each, 'CommonTableExpr') ?? {};
    scope.ctes.set(text(cte['ctename']), query(state, cte['ctequery'], scope));
  }
}

function selectOf(state: Statement, select: Tree, scope: Scope): readonly Output[] {
  readCtes(state, select, scope);
  if (select['op'] !== 'SETOP_NONE') {
    const sides = ['larg', 'rarg'].map((side) => query(state, { SelectStmt: select[side] }, scope));
    const [left = [], right = []] = sides;
    return left.map(({ name, column }, i) => ({
      name,
      column: state.classes.either([column, right[i]?.column ?? state.classes.column()]),
    }));
  }
  const rows = list(select['valuesLists']).map((row) =>
    list(of(row, 'List')?.['items']).map((value) => expression(state, value, scope)),
  );
  const [first] = rows;
  if (first !== undefined)
    return first.map((_, i) => ({
      name: `column${i + 1}`,
      column: state.classes.either(rows.map((row) => row[i] ?? state.classes.column())),
    }));
  for (const item of list(select['fromClause'])) scope.sources.push(...sources(state, item, scope));
  conditions(state, select['whereClause'], scope);
  const outputs = targets(state, list(select['targetList']), scope);
  for (const part of [
    'havingClause',
    'sortClause',
    'groupClause',
    'distinctClause',
    'limitCount',
    'windowClause',
  ])
    subqueries(state, select[part], scope);
  return outputs;
}

function insertOf(state: Statement, insert: Tree, scope: Scope): readonly Output[] {
  readCtes(state, insert, scope);
  const source = query(state, insert['selectStmt'], scope);
  const target = targetTable(state, insert, scope);
  const columns = list(insert['cols']).map((each) => text(of(each, 'ResTarget')?.['name']));
  for (const [i, { name, column }] of target.outputs.entries()) {
    const given = source[columns.length > 0 ? columns.indexOf(name) : i];
    if (given !== undefined) state.classes.equate(column, given.column);
  }
  scope.sources.push(target);
  subqueries(state, insert['onConflictClause'], {
    ...scope,
    sources: [...scope.sources, { ...target, alias: 'excluded' }],
  });
  return returned(state, insert, scope);
}

function changeOf(state: Statement, change: Tree, scope: Scope): readonly Output[] {
  readCtes(state, change, scope);
  scope.sources.push(targetTable(state, change, scope));
  for (const item of [...list(change['fromClause']), ...list(change['usingClause'])])
    scope.sources.push(...sources(state, item, scope));
  conditions(state, change['whereClause'], scope);
  subqueries(state, change['targetList'], scope);
  return returned(state, change, scope);
}

const returned = (state: Statement, body: Tree, scope: Scope): readonly Output[] =>
  targets(state, list((body['returningClause'] as Tree | undefined)?.['exprs']), scope);

const targetTable = (state: Statement, body: Tree, scope: Scope): Source =>
  tableSource(state, body['relation'] as Tree, scope, true);

/** Notes that the statement uses a table. Returns the columns. */
function use(state: Statement, relation: Tree, table: string, written: boolean): readonly Output[] {
  const known = state.schema.tables.get(table);
  const columns = relation['schemaname'] === undefined ? (known?.columns ?? []) : [];
  const outputs = [...columns, 'ctid'].map((name) => ({ name, column: state.classes.column() }));
  const column = outputs.find(({ name }) => name === known?.workspace)?.column;
  state.used.push({ table, written, column });
  return outputs;
}

function tableSource(state: Statement, relation: Tree, scope: Scope, written = false): Source {
  const name = text(relation['relname']);
  const alias = text((relation['alias'] as Tree | undefined)?.['aliasname']) || name;
  for (let at: Scope | undefined = scope; at !== undefined && !written; at = at.outer) {
    const outputs = at.ctes.get(name);
    if (outputs !== undefined) return { alias, outputs };
  }
  const view = state.schema.views.get(name);
  const outputs =
    view === undefined ? use(state, relation, name, written) : query(state, { SelectStmt: view }, undefined);
  return { alias, outputs };
}

/** What an item of a FROM clause adds to the scope. */
function sources(state: Statement, item: unknown, scope: Scope): readonly Source[] {
  const relation = of(item, 'RangeVar');
  if (relation !== undefined) return [tableSource(state, relation, scope)];
  const join = of(item, 'JoinExpr');
  if (join !== undefined) {
    const left = sources(state, join['larg'], scope);
    const right = sources(state, join['rarg'], { ...scope, sources: [...scope.sources, ...left] });
    for (const name of names(join['usingClause'])) {
      const [a, b] = [left, right].map((side) => find({ sources: [...side] }, ['', name]));
      if (a !== undefined && b !== undefined) state.classes.equate(a, b);
    }
    conditions(state, join['quals'], { ...scope, sources: [...scope.sources, ...left, ...right] });
    return [...left, ...right];
  }
  const subselect = of(item, 'RangeSubselect');
  if (subselect !== undefined) {
    const outputs = query(state, subselect['subquery'], scope);
    return [renamed(subselect['alias'], outputs)];
  }
  const called = of(item, 'RangeFunction');
  if (called === undefined) return [];
  subqueries(state, called['functions'], scope);
  return [functionSource(state.classes, called)];
}

function targets(state: Statement, items: readonly unknown[], scope: Scope): readonly Output[] {
  return items.flatMap((item) => {
    const { name, val } = of(item, 'ResTarget') ?? {};
    const fields = of(val, 'ColumnRef')?.['fields'];
    if (list(fields).some((field) => of(field, 'A_Star') !== undefined)) {
      const [alias] = list(fields).length > 1 ? names(fields) : [undefined];
      return scope.sources
        .filter((source) => alias === undefined || source.alias === alias)
        .flatMap(({ outputs }) => outputs.filter((output) => output.name !== 'ctid'));
    }
    return [{ name: text(name) || names(fields).at(-1) || '', column: expression(state, val, scope) }];
  });
}

/** The column or value of an expression. An expression that is neither is a new column. Reads its subqueries. */
function expression(state: Statement, node: unknown, scope: Scope): number {
  const cast = of(node, 'TypeCast');
  if (cast !== undefined) return expression(state, cast['arg'], scope);
  const parameter = of(node, 'ParamRef');
  if (parameter !== undefined) return state.classes.value(`$${Number(parameter['number'])}`);
  const constant = of(node, 'A_Const');
  if (constant !== undefined && constant['isnull'] !== true)
    return state.classes.value(JSON.stringify(constant['sval'] ?? constant['ival'] ?? {}));
  const reference = of(node, 'ColumnRef');
  if (reference !== undefined)
    return find(scope, ['', ...names(reference['fields'])].slice(-2)) ?? state.classes.column();
  const link = of(node, 'SubLink');
  if (link?.['subLinkType'] === 'EXPR_SUBLINK')
    return query(state, link['subselect'], scope)[0]?.column ?? state.classes.column();
  subqueries(state, node, scope);
  return state.classes.column();
}

/** Equates what a condition makes equal, and reads its subqueries. */
function conditions(state: Statement, node: unknown, scope: Scope): void {
  const and = of(node, 'BoolExpr');
  if (and?.['boolop'] === 'AND_EXPR') {
    for (const each of list(and['args'])) conditions(state, each, scope);
    return;
  }
  const compare = of(node, 'A_Expr');
  const isEqual = lastName(compare?.['name']) === '=';
  const parts = (side: unknown): readonly unknown[] => {
    const row = of(side, 'RowExpr');
    return row === undefined ? [side] : list(row['args']);
  };
  if (isEqual && compare?.['kind'] === 'AEXPR_OP') {
    const [left, right] = [parts(compare['lexpr']), parts(compare['rexpr'])];
    for (const [i, each] of left.entries())
      state.classes.equate(expression(state, each, scope), expression(state, right[i], scope));
    return;
  }
  if (isEqual && (compare?.['kind'] === 'AEXPR_OP_ANY' || compare?.['kind'] === 'AEXPR_IN')) {
    subqueries(state, compare['rexpr'], scope);
    state.classes.equate(expression(state, compare['lexpr'], scope), state.classes.several());
    return;
  }
  const link = of(node, 'SubLink');
  if (link?.['subLinkType'] === 'ANY_SUBLINK' && link['operName'] === undefined) {
    const outputs = query(state, link['subselect'], scope);
    for (const [i, each] of parts(link['testexpr']).entries())
      state.classes.equate(expression(state, each, scope), outputs[i]?.column ?? state.classes.column());
    return;
  }
  subqueries(state, node, scope);
}

/** Reads the subqueries of an expression, whose conditions say nothing about the expression. */
function subqueries(state: Statement, node: unknown, scope: Scope): void {
  walk(node, (type, body) => {
    if (type === 'SubLink') {
      subqueries(state, body['testexpr'], scope);
      query(state, body['subselect'], scope);
    }
    return type !== 'SubLink';
  });
}
