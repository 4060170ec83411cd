import { dataDirectory } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { startSvcd } from '../harness/process.ts';
import { connectEmbedded } from '../harness/running-service.ts';

test('the embedded server accepts as many connections as the service may open', async () => {
  const dataDir = await dataDirectory();
  const service = await startSvcd({
    SVC_DATA_DIR: dataDir,
    SVC_WORKERS: '3',
    SVC_DATABASE_CONNECTIONS: '100',
  });
  const client = await connectEmbedded(dataDir);
  const { rows } = await client.query<{ max_connections: string }>('show max_connections');
  expect(Number(rows[0]?.max_connections)).toBeGreaterThanOrEqual(3 * 100 + 5);
  await client.end();
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});
