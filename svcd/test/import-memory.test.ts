import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { ndjson, workspaceWith } from '@svc/service/harness/import.ts';
import { runSvcd } from '@svc/service/harness/process.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, test } from 'vitest';

const database = await createTestDatabase();
const directory = await temporaryDirectory();

const MEMORY_MAX_BYTES = 300e6;
const BYTES_PER_KIB = 1024;
/** About 100 MB. The title and the excerpt are long. */
const RECORDS = 24_000;
const TIMEOUT_MS = 240_000;
/** Prints the most memory that the process has had, in KiB. */
const PRINT_MEMORY = 'process.on("exit", () => console.error(process.resourceUsage().maxRSS))';

test(
  'svcd import of a file of long texts needs less than 300 MB',
  async () => {
    const workspace = await workspaceWith(database.pool, 'c1');
    const mention = {
      companyId: 'c1',
      source: 'example.com',
      url: 'https://example.com',
      title: 'é"\\'.repeat(100),
      excerpt: '€\n'.repeat(900),
      sentiment: 'neutral',
      publishedAt: '2026-03-01T09:30:00Z',
    };
    const file = join(directory, 'long.ndjson');
    await writeFile(file, ndjson([mention]).repeat(RECORDS));
    const { code, stderr } = await runSvcd(['import', 'mentions', file, '--workspace', workspace], {
      env: {
        SVC_DATABASE_URL: database.url,
        SVC_SECRET: randomBytes(32).toString('base64url'),
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRINT_MEMORY)}`,
      },
    });
    expect(code).toBe(0);
    expect(Number(stderr) * BYTES_PER_KIB).toBeLessThan(MEMORY_MAX_BYTES);
  },
  TIMEOUT_MS,
);
