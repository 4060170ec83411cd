import { randomUUID } from 'node:crypto';
import { ROW_CHANGES_MAX } from '@svc/packed-changes';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { claimIdempotencyKey, storeAnswer } from '../../src/api/idempotency.ts';
import { parallelWriter } from '../../src/bulk/parallel-writer.ts';
import { createAuthenticator } from '../../src/keys/authenticate.ts';
import { complete, createBatch, createRecord } from '../../src/records/create.ts';
import { patchRecord, removeRecord } from '../../src/records/mutations.ts';
import { readRecord } from '../../src/records/read.ts';
import { audits, companies, content, RESOURCES } from '../../src/resources/index.ts';
import { COMPANY, OTHER_COMPANY } from '../harness/lists.ts';
import { TEST_ACTOR, TEST_SECRET, testKeys } from '../harness/service.ts';
import { metered, PLANS, sharesOf } from './buffers.ts';
import { createState, type PlanState, partitionsOf, STATES, type StateName } from './states.ts';

/**
 * A statement that reads a row: pages of the index above the leaf, the leaf, the row. The first plan on a connection also
 * reads the top of each index of its tables: 21 for a key and its last use, later 7.
 */
const READ_MAX = 24;
/** A statement that writes a row: each index of its table, the row, the foreign keys. */
const WRITE_MAX = 40;
/** Each partition of the audit log has an index of its own. */
const PARTITION_MAX = 6;
/** For each row: the look-up of its id. */
const FOUND_ROW_MAX = 5;
/** For each row: its seven indexes and the row. */
const COPIED_ROW_MAX = 25;
/** For each row of the feed: its index and the row. */
const FEED_ROW_MAX = 10;
/** A row of `key_workspaces`, which a trigger writes when a key gets another token or moves to another secret. */
const KEY_WORKSPACE_MAX = 10;
/** The row of the log, in which a trigger counts that the validity of a key has changed. */
const KEY_CHANGE_MAX = 10;
/** The block of a record that has got other words: where the blocks end, its indexes and the row. */
const WORD_BLOCK_MAX = 20;
const BATCH_ROWS = 100;
const IMPORT_ROWS = 1_000;

/** Resources whose lists have a row for each item. */
const WITH_ROWS = RESOURCES.filter(({ list }) => list.read === undefined);

const AUDIT = { companyId: COMPANY, headlineScore: 7, completedAt: '2026-03-01T09:30:00Z' };
const newAudits = (rows: number) => Array.from({ length: rows }, () => ({ ...AUDIT, id: randomUUID() }));

interface Operation {
  readonly what: string;
  /** How many records it creates. Default: one, or none. */
  readonly rows?: number;
  readonly run: (client: pg.PoolClient) => Promise<unknown>;
}

/** The most buffers of a statement. Those with the ids of many rows, and COPY, may need as many for each of the rows. */
function mostOf(text: string, rows: number): number {
  if (text.startsWith('copy')) return WRITE_MAX + rows * COPIED_ROW_MAX;
  if (text.startsWith('select wanted.id')) return READ_MAX + rows * FOUND_ROW_MAX;
  if (text.startsWith('update content')) return WRITE_MAX + WORD_BLOCK_MAX;
  if (text.startsWith('update api_keys set token_index')) return WRITE_MAX + KEY_WORKSPACE_MAX;
  if (text.startsWith('update api_keys set hint')) return WRITE_MAX + KEY_WORKSPACE_MAX + KEY_CHANGE_MAX;
  const feedRows = text.includes('insert into changes') ? Math.ceil(rows / ROW_CHANGES_MAX) : 0;
  return text.startsWith('select') ? READ_MAX : WRITE_MAX + feedRows * FEED_ROW_MAX;
}

/** What requests and imports do to records and keys. */
function operations(workspaceId: string, idOf: (resource: string) => string): readonly Operation[] {
  const scope = { workspaceId, companyId: null };
  const limited = { workspaceId, companyId: COMPANY };
  const repeatable = { ...scope, key: 'name_7', fingerprint: Buffer.from('') };
  const by = TEST_ACTOR;
  const key = { name: 'new', mode: 'live', access: 'read', companyId: COMPANY } as const;
  const fail = (error: unknown): never => {
    throw error;
  };
  let token = '';
  let keyId = '';
  const authenticate = (client: pg.PoolClient, ...secrets: readonly string[]) => {
    const lane = sharesOf(client);
    return createAuthenticator({ reads: lane, writes: lane } as never, secrets, Date.now, fail).lookUp(token);
  };
  return [
    ...WITH_ROWS.flatMap((resource) =>
      [scope, limited].map((each) => ({
        what: `read ${resource.name}${each === limited ? ' with a key of a company' : ''}`,
        run: (client: pg.PoolClient) => readRecord(client, resource, each, idOf(resource.name)),
      })),
    ),
    { what: 'create', run: (client) => complete(createRecord(audits, scope, AUDIT), client) },
    {
      what: 'create a batch',
      rows: BATCH_ROWS,
      run: (client) => complete(createBatch(audits, scope, { data: newAudits(BATCH_ROWS) }), client),
    },
    {
      what: 'change',
      run: (client) =>
        complete(
          patchRecord(content, scope, idOf('content'), { companyId: OTHER_COMPANY }, { ifMatch: '*' }),
          client,
        ),
    },
    {
      what: 'delete',
      run: (client) => complete(removeRecord(content, scope, idOf('content'), {}), client),
    },
    {
      what: 'delete a company',
      run: (client) => complete(removeRecord(companies, scope, idOf('companies'), {}), client),
    },
    {
      what: 'find the answer of a repeat',
      run: (client) => claimIdempotencyKey(client, repeatable, undefined),
    },
    {
      what: 'find no answer',
      run: (client) => claimIdempotencyKey(client, { ...repeatable, ...limited }, undefined),
    },
    {
      what: 'store an answer',
      run: (client) =>
        storeAnswer(client, { ...repeatable, key: 'new' }, { status: 201, headers: {}, body: '{}' }),
    },
    {
      what: 'create a key',
      run: async (client) => {
        const issued = await testKeys(sharesOf(client)).create(workspaceId, key, by);
        if (issued === 'no_company') throw new Error(issued);
        token = issued.token;
        keyId = issued.key.id;
      },
    },
    { what: 'look up a key', run: (client) => authenticate(client, TEST_SECRET) },
    {
      what: 'move a key to another secret',
      run: (client) => authenticate(client, 'another'.repeat(8), TEST_SECRET),
    },
    {
      what: 'rotate a key',
      run: (client) => testKeys(sharesOf(client)).rotate(workspaceId, keyId, by),
    },
    {
      what: 'revoke a key',
      run: (client) => testKeys(sharesOf(client)).revoke(workspaceId, keyId, by),
    },
    {
      what: 'import',
      rows: IMPORT_ROWS,
      run: (client) => {
        const pool = sharesOf(client).connections;
        const writer = parallelWriter({ pool, workspaceId, resource: audits, importId: 'imp', by });
        return writer.write(newAudits(IMPORT_ROWS), {
          records: [],
          refused: [],
          bytes: 0,
          recordsRead: IMPORT_ROWS,
          digest: null,
        });
      },
    },
  ];
}

describe.each(Object.keys(STATES) as StateName[])('in a workspace %s', (name) => {
  let state: PlanState;
  let partitions: number;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    state = await createState(name);
    const { pool } = state.database;
    for (const { name: resource, company, list } of WITH_ROWS) {
      // The records of COMPANY, but a company without records.
      const of =
        company === 'companyId'
          ? `and company_id = '${COMPANY}'`
          : `and id not in ('${COMPANY}', '${OTHER_COMPANY}')`;
      const { rows } = await pool.query<{ id: string }>(
        `select id from ${list.relation} where workspace_id = $1 ${of} order by md5(id) limit 1`,
        [state.workspaceId],
      );
      ids.set(resource, rows[0]?.id ?? '');
    }
    partitions = await partitionsOf(state);
  });

  test.each(PLANS)(
    'statements of one record read a fixed number of buffers, others a fixed number per row, with %s',
    async (plan) => {
      // The indexes still have the entries of the rows that the measurement before has rolled back.
      await state.database.pool.query('vacuum audits, api_keys');
      await metered(state.database, plan, async ({ measure }) => {
        const all = operations(state.workspaceId, (resource) => ids.get(resource) ?? '');
        const wrong: unknown[] = [];
        for (const { what, rows = 1, run } of all) {
          for (const { text, buffers, relations } of await measure(run)) {
            const most = mostOf(text, rows) + (text.includes('audit_log') ? partitions * PARTITION_MAX : 0);
            if (buffers > most) wrong.push({ what, text, buffers, most, relations });
          }
        }
        expect(wrong).toEqual([]);
      });
    },
  );
});
