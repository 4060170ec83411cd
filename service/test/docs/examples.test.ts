import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { createWorld } from '../harness/world.ts';

const DOCUMENTS = ['README.md', 'docs/api.md'] as const;
const ADDRESS = 'http://127.0.0.1:8080';

const run = promisify(execFile);
const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) process.stderr.write('curl is not there: the examples of the documents are not run\n');

/** The shell examples of a document that call the service, in their order. */
function examplesOf(path: string): readonly string[] {
  const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, example = '']) =>
    example.includes('curl ') ? [example] : [],
  );
}

describe.skipIf(!hasCurl).each(DOCUMENTS)('%s', (path) => {
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    const { service, workspaceId } = await createWorld();
    await service.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = service.app.server.address() as AddressInfo;
    const token = await service.token(workspaceId, { mode: 'test', access: 'write' });
    env = { ...process.env, SVC_BASE_URL: `http://127.0.0.1:${port}`, SVC_API_KEY: token };
  });

  test.each(examplesOf(path))('answers as it is: %s', async (example) => {
    const command = example.replaceAll(ADDRESS, '$SVC_BASE_URL');
    const { stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', command], { env });
    expect(stderr).toBe('');
    // A page is one JSON text over several lines; a walk prints one after another.
    const answers = stdout.trim().split(/\n(?=\{"(?:data|error|count)")/);
    for (const answer of answers) expect(JSON.parse(answer)).not.toHaveProperty('error');
  });
});
