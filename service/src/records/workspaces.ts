import type pg from 'pg';
import { newId } from '../config/ids.ts';
import { statement } from '../database/statement.ts';

const insertWorkspace = statement('create_workspace', 'request')`
  insert into workspaces (id, name) values ($1, $2)`;
const insertClock = statement('create_clock', 'request')`
  insert into workspace_clocks (workspace_id) values ($1)`;
const insertMeter = statement('create_meter', 'request')`insert into live_meters (workspace_id) values ($1)`;

/** Creates a workspace with its two clocks and without limits. Returns its id. */
export async function createWorkspace(client: pg.ClientBase, name: string): Promise<string> {
  const id = newId('wks');
  await client.query(insertWorkspace(id, name));
  await client.query(insertClock(id));
  await client.query(insertMeter(id));
  return id;
}
