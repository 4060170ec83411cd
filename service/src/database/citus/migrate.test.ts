import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { inCluster } from '../../../test/harness/locks.ts';
import { type MigrationFile, migrate, readMigrationFiles } from '../migrate.ts';
import { distribute } from './distribute.ts';
import { LOCAL_TRIGGERS, TABLE_PLACEMENTS } from './placements.ts';

/** Migrations of a database that is distributed. They run only on a cluster (docs/scale.md). */

/** The last migration before `key_workspaces`: databases were distributed with this schema. */
const BEFORE_KEY_WORKSPACES = 29;

const later = (number: number, sql: string): MigrationFile => ({
  number,
  name: `${String(number).padStart(4, '0')}_later.sql`,
  sql,
  sha256: 'of a later migration',
});

// Skipped on plain PostgreSQL, which cannot distribute tables.
test.runIf(inCluster())(
  'a database that is distributed takes later triggers, tables and foreign keys',
  async () => {
    const { pool } = await createTestDatabase({ template: false });
    const files = await readMigrationFiles();
    await migrate(pool, undefined, files.slice(0, BEFORE_KEY_WORKSPACES));
    await distribute(pool);
    await pool.query(`insert into workspaces (id, name) values ('wsp_1', 'One'), ('wsp_2', 'Two')`);

    expect((await migrate(pool)).applied).toEqual(
      files.map(({ number }) => number).slice(BEFORE_KEY_WORKSPACES),
    );
    const { rows: tables } = await pool.query<{ table: string; type: string }>(
      `select table_name::text as table, citus_table_type as type from citus_tables order by 1`,
    );
    expect(Object.fromEntries(tables.map(({ table, type }) => [table, type]))).toEqual(
      Object.fromEntries(
        Object.entries(TABLE_PLACEMENTS)
          .filter(([, placement]) => placement !== 'local')
          .map(([table, placement]) => [table, placement === 'workspace' ? 'distributed' : placement]),
      ),
    );
    const { rows: triggers } = await pool.query(`select from pg_trigger where tgname = any($1)`, [
      LOCAL_TRIGGERS,
    ]);
    expect(triggers).toEqual([]);

    const number = files.length + 1;
    await migrate(pool, undefined, [
      ...files,
      later(
        number,
        `drop table quota_notices;
       create table quota_notices (workspace_id text collate "C", note text, primary key (workspace_id, note));
       create function note_name() returns trigger language plpgsql as $$
       begin
         insert into quota_notices (workspace_id, note) values (new.id, old.name || ' is now ' || new.name);
         return null;
       end $$;
       create trigger named after update of name on workspaces for each row execute function note_name();
-- distribute
       alter table quota_notices add foreign key (workspace_id) references workspaces (id);`,
      ),
    ]);
    for (const id of ['wsp_1', 'wsp_2'])
      await pool.query('update workspaces set name = $2 where id = $1', [id, `New ${id}`]);
    const { rows: notes } = await pool.query('select * from quota_notices order by workspace_id');
    expect(notes).toEqual([
      { workspace_id: 'wsp_1', note: 'One is now New wsp_1' },
      { workspace_id: 'wsp_2', note: 'Two is now New wsp_2' },
    ]);
    const orphan = pool.query(`insert into quota_notices (workspace_id, note) values ('wsp_3', 'nothing')`);
    await expect(orphan).rejects.toMatchObject({ code: '23503' });
  },
);
