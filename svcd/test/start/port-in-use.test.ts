import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { findEmbedded } from '@svc/embedded-postgres';
import { dataDirectory, onFileEnd } from '@svc/embedded-postgres/testing';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { runSvcd } from '@svc/service/harness/process.ts';
import { expect, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000 });

const taken = createServer();
await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
onFileEnd(() => new Promise((resolve) => void taken.close(() => resolve())));
const { port } = taken.address() as AddressInfo;

async function expectRefusal(database: Readonly<Record<string, string>>): Promise<void> {
  const { code, stderr } = await runSvcd(['start'], { env: { ...database, SVC_PORT: String(port) } });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`port ${port} is in use`)]);
}

test('a start that cannot listen leaves the schema to the release that listens there', async () => {
  const { url, pool } = await createTestDatabase({ template: false });
  await expectRefusal({ SVC_DATABASE_URL: url, SVC_SECRET: 'x'.repeat(32) });
  const { rows } = await pool.query("select tablename from pg_tables where schemaname = 'public'");
  expect(rows).toEqual([]);
});

test('a start that cannot listen stops the embedded PostgreSQL that it has started', async () => {
  const dataDir = await dataDirectory();
  expect(await runSvcd(['migrate'], { env: { SVC_DATA_DIR: dataDir } })).toMatchObject({ code: 0 });
  await expectRefusal({ SVC_DATA_DIR: dataDir });
  expect(await findEmbedded(dataDir)).toBeUndefined();
});
