import { hash } from 'node:crypto';
import type pg from 'pg';

/**
 * What bounds the cost of a statement. `request`: nothing but its page. `bulk`: the rows that its caller reads or writes, at
 * a constant cost for each. `control`: it reads no table, such as `commit`. `background`: it may grow with the data, for the
 * reason after the colon.
 */
export type StatementGroup = 'request' | 'bulk' | 'control' | `background: ${string}`;

/** One declaration, and its statements so far: one, or those of {@link statements}. */
export interface Declaration {
  readonly group: StatementGroup;
  /** The names of the statements, by their text. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Another form of a statement that returns one row, with the same values, for a node of a cluster: Citus plans a statement
 * without subqueries in a third of the time. `gather` makes the row of the statement from the rows of this form and the
 * values.
 */
export interface NodeForm {
  readonly name: string;
  readonly text: string;
  readonly gather: (rows: readonly pg.QueryResultRow[], values: readonly unknown[]) => object;
}

/** Binds values to a statement. The result is what `query` accepts. */
export type BoundStatement = (
  ...values: readonly unknown[]
) => pg.QueryConfig & { readonly text: string; readonly group: StatementGroup };

type Template = (text: TemplateStringsArray, ...sql: readonly (string | number)[]) => BoundStatement;

/** The most statements of one declaration that are stored. */
const STORED_MAX = 10_000;

const declared = new Map<string, Declaration>();

/** All statements of the modules that are loaded, by the name of their declaration. */
export const declaredStatements: ReadonlyMap<string, Declaration> = declared;

const family =
  (prepared: boolean) =>
  (name: string, group: StatementGroup): ((name: string, text: string) => BoundStatement) => {
    if (declared.has(name)) throw new Error(`The statement ${name} is declared twice.`);
    const names = new Map<string, string>();
    declared.set(name, { group, names });
    return (name, text) => {
      if (names.size < STORED_MAX) names.set(text, name);
      return (...values) => ({ ...(prepared ? { name } : {}), group, text, values: [...values] });
    };
  };

const single =
  (prepared: boolean) =>
  (name: string, group: StatementGroup): Template => {
    const create = family(prepared)(name, group);
    return (text, ...sql) => create(name, String.raw({ raw: text }, ...sql).trimStart());
  };

/**
 * Declares a statement. Values are parameters; `${…}` inserts SQL of this program. The name is unique. White space before
 * the text is not part of it.
 */
export const statement = single(false);

/** Declares a statement that a connection prepares under its name. */
export const preparedStatement = single(true);

/** Declares statements whose text depends on something else, such as a table. The result creates one of them. */
export const statements = family(false);

/** Declares such statements, which a connection prepares. Their names are unique. */
export const preparedStatements = family(true);

/** A hash of a statement's text, for its name. */
export const textHash = (text: string): string => hash('sha256', text).slice(0, 32);
