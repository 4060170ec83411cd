import type { Schema, Volatility } from './schema.ts';
import { lastName, list, names, of, type Tree, walk } from './tree.ts';

/**
 * The functions that statements use where Citus looks at how volatile they are, with a signature whose volatility
 * counts: of several signatures, the least strict one that a statement may mean. A test compares them with PostgreSQL.
 */
export const FUNCTIONS: Readonly<Record<string, readonly [signature: string, Volatility]>> = {
  array_agg: ['array_agg(anynonarray)', 'immutable'],
  ceil: ['ceil(numeric)', 'immutable'],
  clock_timestamp: ['clock_timestamp()', 'volatile'],
  concat: ['concat("any")', 'stable'],
  convert_from: ['convert_from(bytea,name)', 'stable'],
  count: ['count("any")', 'immutable'],
  date_trunc: ['date_trunc(text,timestamptz)', 'stable'],
  decode: ['decode(text,text)', 'immutable'],
  extract: ['extract(text,timestamptz)', 'stable'],
  gen_random_uuid: ['gen_random_uuid()', 'volatile'],
  generate_series: ['generate_series(integer,integer)', 'immutable'],
  json_build_object: ['json_build_object("any")', 'stable'],
  lower: ['lower(text)', 'immutable'],
  max: ['max(timestamptz)', 'immutable'],
  min: ['min(timestamptz)', 'immutable'],
  now: ['now()', 'stable'],
  row_number: ['row_number()', 'immutable'],
  set_config: ['set_config(text,text,boolean)', 'volatile'],
  split_part: ['split_part(text,text,integer)', 'immutable'],
  starts_with: ['starts_with(text,text)', 'immutable'],
  statement_timestamp: ['statement_timestamp()', 'stable'],
  sum: ['sum(bigint)', 'immutable'],
  // `at time zone` of a time with date.
  timezone: ['timezone(text,timestamptz)', 'immutable'],
  to_char: ['to_char(timestamp,text)', 'stable'],
  to_timestamp: ['to_timestamp(double precision)', 'immutable'],
  unnest: ['unnest(anyarray)', 'immutable'],
};

const TIMES: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamptz', 'time', 'timetz']);

const RANK: readonly Volatility[] = ['immutable', 'stable', 'volatile'];
const atLeast = (found: Volatility | undefined, least: Volatility): boolean =>
  RANK.indexOf(found ?? 'volatile') >= RANK.indexOf(least);

/** Whether an expression is a time without a time zone: what `at time zone` makes of one with a time zone, and casts. */
function isLocal(node: unknown): boolean {
  const cast = of(node, 'TypeCast');
  if (cast !== undefined) return names((cast['typeName'] as Tree)['names']).at(-1) === 'timestamp';
  const call = of(node, 'FuncCall');
  const sum = of(node, 'A_Expr');
  return (
    (call !== undefined && lastName(call['funcname']) === 'timezone' && !isLocal(list(call['args'])[1])) ||
    (sum !== undefined && isLocal(sum['lexpr']))
  );
}

const isInterval = (node: unknown): boolean => {
  const cast = of(node, 'TypeCast');
  const product = of(node, 'A_Expr');
  return (
    (cast !== undefined && lastName((cast['typeName'] as Tree)['names']) === 'interval') ||
    (product !== undefined && (isInterval(product['lexpr']) || isInterval(product['rexpr'])))
  );
};

/** How volatile a node is by itself. Undefined: the volatility of a function is not known here. */
export function volatilityOf(type: string, body: Tree, schema: Schema): Volatility | undefined {
  if (type === 'FuncCall') {
    const name = lastName(body['funcname']);
    const local = list(body['args']).some(isLocal);
    if (local && (name === 'extract' || name === 'date_trunc')) return 'immutable';
    return FUNCTIONS[name]?.[1] ?? schema.functions.get(name);
  }
  if (type === 'SQLValueFunction') return 'stable';
  if (type === 'A_Expr' && body['kind'] === 'AEXPR_OP') {
    const added = isInterval(body['rexpr']) || isInterval(body['lexpr']);
    const sum = /^[+-]$/.test(lastName(body['name']));
    // An interval may have days, whose length depends on the time zone of the session.
    const both = isInterval(body['lexpr']) && isInterval(body['rexpr']);
    return added && sum && !both && !isLocal(body['lexpr']) ? 'stable' : 'immutable';
  }
  if (type === 'TypeCast') {
    const from = body['arg'];
    const given = of(from, 'ParamRef') ?? of(from, 'A_Const');
    const to = lastName((body['typeName'] as Tree)['names']);
    return TIMES.has(to) && given === undefined && !isLocal(from) ? 'stable' : 'immutable';
  }
  return 'immutable';
}

/** Whether something in an expression is as volatile as this. `subqueries`: also what its subqueries contain. */
export function contains(node: unknown, least: Volatility, schema: Schema, subqueries: boolean): boolean {
  let found = false;
  walk(node, (type, body) => {
    if (type === 'SelectStmt' && !subqueries) return false;
    found ||= atLeast(volatilityOf(type, body, schema), least);
    return true;
  });
  return found;
}
