import type { Classes } from './classes.ts';
import { lastName, list, names, of, type Tree, text } from './tree.ts';

/** What a part of a statement can name. */

/** A result: its columns in their order, by their names. */
export interface Output {
  readonly name: string;
  readonly column: number;
}

/** What a FROM clause adds. */
export interface Source {
  readonly alias: string;
  readonly outputs: readonly Output[];
}

export interface Scope {
  readonly sources: Source[];
  readonly ctes: Map<string, readonly Output[]>;
  readonly outer: Scope | undefined;
}

export function renamed(alias: unknown, outputs: readonly Output[]): Source {
  const { aliasname, colnames } = (alias ?? {}) as Tree;
  const given = names(colnames);
  return {
    alias: text(aliasname),
    outputs: outputs.map(({ name, column }, i) => ({ name: given[i] ?? name, column })),
  };
}

/** The columns of functions in a FROM clause. A value of an array or a document is one of several. */
export function functionSource(classes: Classes, called: Tree): Source {
  const outputs: Output[] = [];
  for (const each of list(called['functions'])) {
    const call = of(list(of(each, 'List')?.['items'])[0], 'FuncCall') ?? {};
    const name = lastName(call['funcname']);
    if (name !== 'unnest') {
      const fields = list(called['coldeflist']).map((field) => text(of(field, 'ColumnDef')?.['colname']));
      for (const field of fields.length > 0 ? fields : [name])
        outputs.push({ name: field, column: classes.several() });
    } else for (const _ of list(call['args'])) outputs.push({ name, column: classes.several() });
  }
  if (called['ordinality'] === true) outputs.push({ name: 'ordinality', column: classes.column() });
  const { alias, outputs: own } = renamed(called['alias'], outputs);
  // The alias of a function with one column also names the column.
  const [only] = own;
  const named =
    [...list((called['alias'] as Tree | undefined)?.['colnames']), ...list(called['coldeflist'])].length > 0;
  return own.length === 1 && only !== undefined && !named && alias !== ''
    ? { alias, outputs: [{ ...only, name: alias }] }
    : { alias: alias || (own[0]?.name ?? ''), outputs: own };
}

/** The column of a name, in this scope or an outer one. */
export function find(
  scope: Pick<Scope, 'sources'> & { outer?: Scope | undefined },
  name: readonly string[],
): number | undefined {
  const column = name.at(-1);
  const alias = name.length > 1 ? name.at(-2) : '';
  for (const source of scope.sources)
    if (alias === '' || source.alias === alias) {
      const found = source.outputs.find((output) => output.name === column);
      if (found !== undefined) return found.column;
    }
  return scope.outer === undefined ? undefined : find(scope.outer, name);
}
