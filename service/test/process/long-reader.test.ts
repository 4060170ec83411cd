import { useEmbedded } from '@svc/embedded-postgres';
import { dataDirectory } from '@svc/embedded-postgres/testing';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startSvcd } from '../harness/process.ts';
import { connectEmbedded } from '../harness/running-service.ts';

const lastMonth = `select max(inhrelid::regclass::text) as name from pg_inherits where inhparent = 'audit_log'::regclass`;

test('a service starts while a long reader uses the audit log, and creates the missing partition', async () => {
  const dataDir = await dataDirectory();
  const env = { SVC_DATA_DIR: dataDir };
  await (await startSvcd(env)).stop();
  const server = await useEmbedded({ dataDir, purpose: 'a test', log: pino({ level: 'silent' }) });
  const reader = await connectEmbedded(dataDir);
  const name = (await reader.query<{ name: string }>(lastMonth)).rows[0]?.name ?? '';
  await reader.query(`drop table ${name}`);
  // As pg_dump does.
  await reader.query('begin; lock table audit_log in access share mode');

  const service = await startSvcd(env);
  expect(service.stdout()).toContain(`created the audit log's partitions ${name}`);
  expect((await reader.query(lastMonth)).rows).toEqual([{ name }]);
  await reader.query('rollback');
  await reader.end();
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  await server.stop();
});
