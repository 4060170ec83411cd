import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import pg from 'pg';

/**
 * The bare limit, a process: node:http, one `pg` connection in pipeline mode, and one statement per request on a copy of
 * the workspaces. No authentication, no cursor, no audit entry. `GET /WORKSPACE` returns the newest 50 audits, and
 * `POST /WORKSPACE` writes the body as an audit.
 */
const client = new pg.Client({ connectionString: process.env['BARE_DATABASE_URL'], pipeline: true });
await client.connect();

const readPage = (workspaceId: string) => ({
  name: 'page',
  text: `select string_agg(doc, ',') as docs from (
    select doc from bare.audits where workspace_id = $1 order by created_at desc, id desc limit 50) page`,
  values: [workspaceId],
});
const create = (workspaceId: string, doc: string) => ({
  name: 'create',
  text: 'insert into bare.audits (workspace_id, created_at, id, doc) values ($1, now(), $2, $3) returning doc as docs',
  values: [workspaceId, randomUUID(), doc],
});

const server = createServer(async (request, response) => {
  const workspaceId = request.url?.slice(1) ?? '';
  const statement =
    request.method === 'POST' ? create(workspaceId, await text(request)) : readPage(workspaceId);
  const { rows } = await client.query<{ docs: string }>(statement);
  const body = `{"data":[${rows[0]?.docs}]}`;
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(200, headers).end(body);
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.once('disconnect', () => process.exit());
