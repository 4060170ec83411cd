/** What a look-up selects besides the key of the row. All of it is SQL of this program. */
interface LookUp {
  readonly select: string;
  readonly from: string;
  /** SQL of the workspace. Null: the index begins with the key. Default: `$1`. */
  readonly workspace?: string | null;
  /** The column of the key. Default: `id`. */
  readonly column?: string;
  /** SQL of the value of the key. Default: `$2`. */
  readonly key?: string;
  /** More conditions. Default: none. */
  readonly and?: string;
}

/**
 * SQL that selects the row of a workspace with a key. The index that begins with the workspace and the key is the
 * only one that has this order. With `id = $2`, the order would say nothing, and PostgreSQL could read all of the workspace
 * in another index (docs/decisions/0014).
 */
export const lookUp = ({ select, from, workspace = '$1', column = 'id', key = '$2', and }: LookUp): string =>
  `select ${select} from ${from} where ${workspace === null ? '' : `workspace_id = ${workspace} and `}` +
  `${column} >= ${key} and ${column} <= ${key}${and === undefined ? '' : ` and ${and}`} order by ${column} limit 1`;
