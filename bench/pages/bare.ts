import { createServer } from 'node:http';
import pg from 'pg';
import { sortsOf } from '../../service/src/list/definition.ts';
import { keysetStatement } from '../../service/src/list/keyset.ts';
import { audits } from '../../service/src/resources/index.ts';

/**
 * The bare limit: node:http, pg with two connections and the same SQL statement; no authentication, no cursor, no
 * audit. The page after the position given as `?key=…&id=…`, or the first.
 */
const { BENCH_DATABASE_URL = '', BENCH_WORKSPACE = '' } = process.env;
const pool = new pg.Pool({ connectionString: BENCH_DATABASE_URL, max: 2 });
const [sort] = sortsOf(audits.list);
if (sort === undefined) throw new Error('Audits have no sort.');

const server = createServer((request, response) => {
  const query = new URL(request.url ?? '/', 'http://bare').searchParams;
  const [key, id] = [query.get('key'), query.get('id')];
  const { name, text, values } = keysetStatement({
    list: audits.list,
    workspaceId: BENCH_WORKSPACE,
    equal: {},
    sort,
    direction: 'forward',
    position: key === null || id === null ? undefined : { side: 'after', key, id },
    limit: 50,
  });
  pool.query<{ docs: string }>({ name, text, values }).then(
    ({ rows }) => {
      const body = `{"data":[${rows[0]?.docs}]}`;
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        .end(body);
    },
    (error: Error) => response.writeHead(500).end(error.message),
  );
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.once('disconnect', () => process.exit());
