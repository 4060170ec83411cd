import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Audit } from '@svc/sdk';
import { expect, test } from 'vitest';
import { importText } from '../harness/import.ts';
import { createTestService } from '../harness/service.ts';
import { listen } from '../harness/socket.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { examplesOf } from './documents.ts';
import { runExample, startExample, userProject } from './run.ts';

const GUIDE = 'docs/guides/copies.md';
const RESOURCES = ['audits', 'mentions', 'content', 'companies'] as const;
const KILLS = 6;

const service = await createTestService();
const workspaceId = await service.workspace();
const token = await service.token(workspaceId, { access: 'write' });
const directory = await userProject();
const file = join(await temporaryDirectory(), 'copy.sqlite');
const env = { SVC_BASE_URL: await listen(service), SVC_API_KEY: token, COPY_FILE: file };
const [example] = examplesOf(GUIDE).filter(({ language }) => language === 'ts');
if (example === undefined) throw new Error(`${GUIDE} has no example`);

const send = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object): Promise<void> => {
  const answer = await service.request(token, `/v1/${path}`, {
    method,
    ...(payload === undefined ? {} : { payload }),
  });
  expect(answer.status, answer.text).toBeLessThan(300);
};

/** Every record of the lists. */
async function listed(): Promise<readonly string[]> {
  const all: string[] = [];
  for (const resource of RESOURCES) {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = (await service.request(token, `/v1/${resource}?limit=100${query}`)).json<{
        readonly data: readonly Audit[];
        readonly pagination: { readonly nextCursor: string | null };
      }>();
      all.push(...page.data.map((record) => `${resource} ${record.id} ${JSON.stringify(record)}`));
      cursor = page.pagination.nextCursor;
    }
  }
  return all.sort();
}

/** Every record of the SQLite file. */
function copied(): readonly string[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = db.prepare('select resource, id, record from records').all();
    return rows.map(({ resource, id, record }) => `${resource} ${id} ${record}`).sort();
  } finally {
    db.close();
  }
}

/** Resolves when the file has a record. */
const arrives = (id: string): Promise<void> =>
  expect.poll(() => copied().some((text) => text.includes(` ${id} `))).toBe(true);

async function write(step: number): Promise<void> {
  const content = `con_${step}`;
  await send('POST', 'content', { id: content, companyId: 'com_a', title: `Zürich ${step}` });
  await send('POST', 'audits/batch', {
    data: Array.from({ length: 150 }, () => ({
      companyId: 'com_b',
      headlineScore: step,
      completedAt: '2026-03-01T09:30:00Z',
    })),
  });
  await send('PATCH', `content/${content}`, { companyId: 'com_b', status: 'in_review' });
  if (step > 0) await send('DELETE', `content/con_${step - 1}`);
  const lines = Array.from({ length: 120 }, (_, i) => ({
    id: `aud_${step}_${i}`,
    companyId: 'com_a',
    headlineScore: 1,
    completedAt: '2026-03-01T09:30:00Z',
    createdAt: `2020-01-01T00:00:0${step}.${String(i).padStart(6, '0')}Z`,
  }));
  await importText(
    service.pool,
    workspaceId,
    'audits',
    lines.map((line) => `${JSON.stringify(line)}\n`),
  );
}

test('the example keeps an exact copy in its SQLite file, also when it is killed and started again', async () => {
  for (const id of ['com_a', 'com_b']) await send('POST', 'companies', { id, name: id });
  await runExample(example, env, directory);
  for (let step = 0; step < KILLS; step += 1) {
    const child = await startExample(example, env, directory, ['--follow']);
    const exit = once(child, 'exit');
    const written = write(step);
    // It is killed at some moment of the writes, and every second time after the newest of them.
    const arrived = step % 2 === 0 ? arrives(`con_${step}`) : written.then(() => arrives(`aud_${step}_119`));
    await Promise.race([arrived, exit.then(([code]) => expect.fail(`The example ended with ${code}.`))]);
    child.kill('SIGKILL');
    await Promise.all([exit, written]);
  }
  const { stdout, stderr } = await runExample(example, env, directory);
  const all = await listed();
  expect(copied()).toEqual(all);
  expect(all).toHaveLength(2 + 1 + KILLS * (150 + 120));
  expect({ stdout, stderr }).toEqual({ stdout: `${all.length} records\n`, stderr: '' });
});
