import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { migrate } from '../../src/database/migrate.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createTestService } from '../harness/service.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { findingsOf } from '../harness/verify.ts';

const run = promisify(execFile);
const { binaries } = inject('databaseServer') ?? {};
const tool = (name: string): string => join(dirname(binaries?.postgres ?? ''), name);

// The packaged PostgreSQL has no client tools.
test.skipIf(!existsSync(tool('pg_dump')))(
  'a dump, restored into an empty database, has every record, key and entry, and the service continues with it',
  async () => {
    const original = await createTestService();
    const workspaceId = await original.workspace();
    const token = await original.token(workspaceId, { access: 'write' });
    const company = { method: 'POST', payload: { name: 'Acme' } } as const;
    expect((await original.request(token, '/v1/companies', company)).status).toBe(201);
    const list = await original.request(token, '/v1/companies');

    const file = join(await temporaryDirectory(), 'svc.dump');
    const restored = await createTestDatabase({ template: false });
    await run(tool('pg_dump'), ['-d', original.database.url, '-Fc', '-f', file]);
    await run(tool('pg_restore'), ['--no-owner', '-d', restored.url, file]);

    await migrate(restored.pool);
    const service = await createTestService({ database: restored });
    const { data } = list.json<{ data: unknown }>();
    expect((await service.request(token, '/v1/companies')).json()).toMatchObject({ data });
    const log = await service.request(token, '/v1/audit-log');
    expect(log.json<{ data: readonly object[] }>().data).toHaveLength(4);
    expect((await service.request(token, '/v1/companies', company)).status).toBe(201);
    expect(await findingsOf(restored.pool)).toEqual([]);
  },
);
