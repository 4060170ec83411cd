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
  /** The texts, by the name of the statement. */
  readonly texts: Map<string, string>;
}

/** Binds values to a statement. The result is what `query` accepts. */
export type BoundStatement = (...values: readonly unknown[]) => pg.QueryConfig & { readonly text: string };

type Template = (text: TemplateStringsArray, ...sql: readonly (string | number)[]) => BoundStatement;

/** The most statements of one declaration. Others are not stored. */
const FAMILY_MAX = 10_000;

const declared = new Map<string, Declaration>();

/** All statements of the modules that are loaded, by the name of their declaration. */
export const declaredStatements: ReadonlyMap<string, Declaration> = declared;

/**
 * Declares statements whose text depends on something else, such as a table. The result creates the text of each name once.
 * Default: a connection prepares the statement under its name.
 */
export function statements(
  family: string,
  group: StatementGroup,
): (name: string, text: () => string, prepared?: boolean) => BoundStatement {
  if (declared.has(family)) throw new Error(`The statement ${family} is declared twice.`);
  const texts = new Map<string, string>();
  const known = new Map<string, BoundStatement>();
  declared.set(family, { group, texts });
  return (name, createText, prepared = true) => {
    let bind = known.get(name);
    if (bind === undefined) {
      const text = createText();
      bind = (...values) => ({ ...(prepared ? { name } : {}), text, values: [...values] });
      if (texts.size < FAMILY_MAX) {
        texts.set(name, text);
        known.set(name, bind);
      }
    }
    return bind;
  };
}

const template =
  (prepared: boolean) =>
  (name: string, group: StatementGroup): Template =>
  (text, ...sql) =>
    statements(name, group)(name, () => String.raw({ raw: text }, ...sql), prepared);

/** Declares a statement. Values are parameters; `${…}` inserts SQL of this program. The name is unique. */
export const statement = template(false);

/** Declares a statement that a connection prepares under its name. */
export const preparedStatement = template(true);
