import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApiDocument } from '@svc/openapi';
import { isStream } from '@svc/openapi/types';
import { newExample } from '@svc/openapi/write-schemas';
import { beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../src/database/pool.ts';
import { insertRecords } from '../../src/records/insert.ts';
import type { RecordInput } from '../../src/records/row.ts';
import type { Resource } from '../../src/resources/define.ts';
import { changes, RESOURCES } from '../../src/resources/index.ts';
import { canRun, runExample, userProject } from '../docs/run.ts';
import { typeErrors } from '../docs/typescript.ts';
import { seedRecords } from '../harness/records.ts';
import { createTestService } from '../harness/service.ts';
import { listen } from '../harness/socket.ts';

const SEEDED_AT = '2026-03-01T09:30:00.123456Z';

const { paths } = openApiDocument({ publicUrl: 'http://svc.test', version: '0' });

interface Sample {
  /** The id of its operation. */
  readonly name: string;
  readonly label: string;
  readonly source: string;
}

const samples: readonly Sample[] = Object.values(paths).flatMap((item) =>
  Object.values(item).flatMap(({ operationId, 'x-codeSamples': all = [] }) =>
    all.map(({ label, source }) => ({ name: operationId, label, source })),
  ),
);
const of = (label: string): readonly Sample[] => samples.filter((sample) => sample.label === label);

const service = await createTestService();
const workspaceId = await service.workspace();
const directory = await userProject();
let env: NodeJS.ProcessEnv;

const idOf = ({ fields }: Resource): string => String(fields['id']?.example);

const seedExample = (resource: Resource): Promise<void> =>
  seedRecords(service.pool, workspaceId, resource, [{ id: idOf(resource), createdAt: SEEDED_AT }]);

const writeExample = async (resource: Resource): Promise<void> => {
  const input = { ...newExample(resource), id: idOf(resource) } as RecordInput;
  await inTransaction(service.pool, (client) => insertRecords(client, workspaceId, resource, [input]));
};

beforeAll(async () => {
  // Create every record that the samples name.
  const bySize = RESOURCES.toSorted((a, b) => Number(b.company === 'id') - Number(a.company === 'id'));
  for (const resource of bySize) {
    if (resource === changes) continue;
    await (resource.writable ? writeExample(resource) : seedExample(resource));
  }
  env = {
    SVC_BASE_URL: await listen(service),
    SVC_API_KEY: await service.token(workspaceId, { mode: 'test', access: 'write' }),
  };
});

test('every operation whose response ends has a sample in every language', () => {
  // A stream has no end, so a sample of it would not end either.
  const operations = Object.values(paths).flatMap((item) =>
    Object.values(item).filter((operation) => !isStream(operation)),
  );
  for (const label of ['curl', 'TypeScript', 'Python']) expect(of(label)).toHaveLength(operations.length);
});

/**
 * The samples that the service refuses, with the code: the company of the samples has records, so it cannot be deleted. The
 * id of a change contains a hash of its workspace, so the id in the sample is not one of this workspace.
 */
const REFUSED: Readonly<Record<string, string>> = {
  deleteCompany: 'conflict',
  deleteCompanyBatch: 'conflict',
  getChange: 'not_found',
};

/** Writes each sample to a file, and runs them all with another file. Returns the names of the samples that failed. */
async function runAll(language: 'ts' | 'python', all: readonly Sample[], runner: (files: string) => string) {
  const extension = language === 'ts' ? 'ts' : 'py';
  const files = all.map(({ name }) => `${name}.${extension}`);
  for (const { name, source } of all) await writeFile(join(directory, `${name}.${extension}`), source);
  const { stdout } = await runExample({ language, text: runner(JSON.stringify(files)) }, env, directory);
  return [...stdout.matchAll(/^failed: (\w+).*$/gm)].map(([, name]) => name);
}

// What is not installed here has been named.
describe.skipIf(!canRun('sh'))('the samples for curl', () => {
  test.each(of('curl'))('$name runs unchanged', async ({ name, source }) => {
    const { stdout, stderr } = await runExample({ language: 'sh', text: source }, env, directory);
    expect(stderr).toBe('');
    const code = REFUSED[name];
    if (code !== undefined) expect(JSON.parse(stdout)).toMatchObject({ error: { code } });
    else expect(stdout).not.toContain('"error"');
  });
});

test('the samples in TypeScript compile, and run unchanged', async () => {
  const failed = await runAll(
    'ts',
    of('TypeScript'),
    (files) => `for (const file of ${files}) {
      await import('../' + file).catch((error) => console.log('failed: ' + file, error.message));
    }`,
  );
  expect(failed.sort()).toEqual(Object.keys(REFUSED));
  const files = of('TypeScript').map(({ name }) => join(directory, `${name}.ts`));
  expect(await typeErrors(directory, files)).toBe('');
});

// What is not installed here has been named.
test.skipIf(!canRun('python'))('the samples in Python run unchanged', async () => {
  const failed = await runAll(
    'python',
    of('Python'),
    (files) => `import runpy
for file in ${files}:
    try:
        runpy.run_path("../" + file)
    except Exception as error:
        print("failed:", file, error)
`,
  );
  expect(failed.sort()).toEqual(Object.keys(REFUSED));
});
