import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AuditedRequest } from '../../service/src/audit-log/append-requests.ts';
import { appendRequests } from '../../service/src/audit-log/append-requests.ts';
import { LOCK_TIMEOUT_MS } from '../../service/src/config/limits.ts';
import { createPool, inTransaction } from '../../service/src/database/pool.ts';
import { insertRecords } from '../../service/src/records/insert.ts';
import type { RecordInput } from '../../service/src/records/row.ts';
import { audits } from '../../service/src/resources/index.ts';

/**
 * The bare limit: node:http and the statements of the same transaction, with the audit entry; no framework, no
 * authentication, no validation.
 */
const { BENCH_DATABASE_URL = '', BENCH_WORKSPACE = '', BENCH_KEY = '' } = process.env;
const pool = createPool({ url: BENCH_DATABASE_URL, max: 4, name: 'bare', onError: console.error });

const ENTRY: AuditedRequest = {
  workspaceId: BENCH_WORKSPACE,
  keyId: BENCH_KEY,
  tokenVersion: 1,
  entry: {
    kind: 'api.request',
    keyId: BENCH_KEY,
    actor: null,
    requestId: 'req_00000000-0000-0000-0000-000000000000',
    method: 'POST',
    path: '/v1/audits',
    status: 201,
    durationMs: 1,
    ip: '127.0.0.1',
    userAgent: null,
    recordIds: ['aud_01jq4d1n8se0wr2h6y9zk3v5mc'],
  },
  counted: true,
  failed: false,
  durationMs: 1,
};

async function create(input: RecordInput): Promise<string> {
  return inTransaction(pool, async (client) => {
    const { inserted } = await insertRecords(client, BENCH_WORKSPACE, audits, [input]);
    await appendRequests(client, BENCH_WORKSPACE, [ENTRY], LOCK_TIMEOUT_MS);
    return inserted[0]?.doc ?? '';
  });
}

const server = createServer((request, response) => {
  json(request)
    .then((body) => create(body as RecordInput))
    .then(
      (doc) => {
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(doc) };
        response.writeHead(201, headers).end(doc);
      },
      (error: Error) => response.writeHead(500).end(error.message),
    );
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.once('disconnect', () => process.exit());
