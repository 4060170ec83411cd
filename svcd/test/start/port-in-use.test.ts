import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { onFileEnd } from '@svc/embedded-postgres/testing';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { runSvcd } from '@svc/service/harness/process.ts';
import { expect, test } from 'vitest';

test('a start that cannot listen leaves the schema to the release that listens there', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onFileEnd(() => new Promise((resolve) => void taken.close(() => resolve())));
  const { port } = taken.address() as AddressInfo;
  const { url, pool } = await createTestDatabase({ template: false });
  const env = { SVC_DATABASE_URL: url, SVC_SECRET: 'x'.repeat(32), SVC_PORT: String(port) };
  const { code, stderr } = await runSvcd(['start'], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`port ${port} is in use`)]);
  const { rows } = await pool.query("select tablename from pg_tables where schemaname = 'public'");
  expect(rows).toEqual([]);
});
