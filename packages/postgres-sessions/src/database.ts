import type pg from 'pg';

/** The service cannot use a database. The message is for the operator. */
export class UnsuitableDatabaseError extends Error {
  readonly problem: string;
  /** What to do. */
  readonly remedy: string;
  constructor(problem: string, remedy: string) {
    super(`${problem}: ${remedy}`);
    this.problem = problem;
    this.remedy = remedy;
  }
}

const OLDEST_VERSION_NUM = 15_00_00;
const ENCODING = 'UTF8';

const SERVER = `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
  current_setting('server_encoding') as encoding`;

interface Server {
  readonly number: number;
  readonly version: string;
  readonly encoding: string;
}

/** What is wrong with the server or the encoding of a database. Default: nothing. */
export async function serverMistake(
  client: Pick<pg.ClientBase, 'query'>,
): Promise<UnsuitableDatabaseError | undefined> {
  const { rows } = await client.query<Server>(SERVER);
  const { number = 0, version = '', encoding = '' } = rows[0] ?? {};
  if (number < OLDEST_VERSION_NUM)
    return new UnsuitableDatabaseError(
      `the database server is PostgreSQL ${version}`,
      'use PostgreSQL 15 or newer',
    );
  if (encoding !== ENCODING)
    return new UnsuitableDatabaseError(
      `the encoding of the database is ${encoding}, which the service cannot use`,
      `create another one with: create database svc encoding '${ENCODING}' template template0`,
    );
  return undefined;
}

const RIGHTS = `select quote_ident(current_user) as role, quote_ident(current_database()) as database,
  current_setting('search_path') as path, quote_ident(current_schema()) as schema,
  has_schema_privilege(current_schema(), 'create') as "createsTables",
  has_database_privilege(current_database(), 'create') or to_regnamespace('graphile_worker') is not null as "createsSchemas"`;

interface Rights {
  readonly role: string;
  readonly database: string;
  readonly path: string;
  /** Null if no schema of the search path exists, or the role may use none. */
  readonly schema: string | null;
  readonly createsTables: boolean | null;
  /** Also true if there is the schema of the jobs, the only one that the service creates. */
  readonly createsSchemas: boolean;
}

/** Which right of the role the migrations of a database need and do not have. Default: none. */
export async function rightsMistake(
  client: Pick<pg.ClientBase, 'query'>,
): Promise<UnsuitableDatabaseError | undefined> {
  const [rights] = (await client.query<Rights>(RIGHTS)).rows;
  if (rights === undefined) return undefined;
  const { role, database, path, schema, createsTables, createsSchemas } = rights;
  if (schema === null)
    return new UnsuitableDatabaseError(
      `there is no schema for the tables: the role ${role} can use none of its search_path (${path})`,
      `create one, or set another search_path: alter role ${role} set search_path = public`,
    );
  if (createsTables !== true)
    return new UnsuitableDatabaseError(
      `the role ${role} may not create tables in the schema ${schema}`,
      `run as the owner of the schema, or as a superuser: grant create on schema ${schema} to ${role}`,
    );
  if (!createsSchemas)
    return new UnsuitableDatabaseError(
      `the role ${role} may not create schemas in the database ${database}`,
      `run as the owner of the database, or as a superuser: grant create on database ${database} to ${role}`,
    );
  return undefined;
}
