import type pg from 'pg';
import { newId } from '../config/ids.ts';

/** Creates a workspace with its two clocks and without limits. Returns its id. */
export async function createWorkspace(client: pg.ClientBase, name: string): Promise<string> {
  const id = newId('wks');
  await client.query('insert into workspaces (id, name) values ($1, $2)', [id, name]);
  await client.query('insert into workspace_clocks (workspace_id) values ($1)', [id]);
  await client.query('insert into live_meters (workspace_id) values ($1)', [id]);
  return id;
}
