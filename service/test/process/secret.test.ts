import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvcd, spawnSvcd, startSvcd } from '../harness/process.ts';
import { bearer, startRunningService } from '../harness/running-service.ts';

test('a service whose secret was lost refuses to start, until the old one is back or given up', async () => {
  const { service, env, key } = await startRunningService();
  const file = join(env['SVC_DATA_DIR'] ?? '', 'secret');
  const status = async (url: string): Promise<number> =>
    (await fetch(`${url}/v1/companies`, { headers: bearer(key.token) })).status;
  const saved = await readFile(file, 'utf8');
  await service.stop();
  await rm(file);

  const refused = await runSvcd(['start'], { env: { ...env, SVC_PORT: '0', SVC_WORKERS: '1' } });
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^svcd: the secret in .*\/secret is not the one that the API keys .*\n$/),
  ]);

  await writeFile(file, saved);
  const restored = await startSvcd(env);
  expect(await status(restored.url)).toBe(200);
  await restored.stop();

  await rm(file);
  const renewed = spawnSvcd(['start', '--accept-new-secret'], {
    env: { ...env, SVC_PORT: '0', SVC_WORKERS: '1' },
  });
  const [, url = ''] = await renewed.printed(/^svc serves (http:\S+)$/m);
  expect(renewed.stdout()).toContain('every API key and session made before is void');
  expect(await status(url)).toBe(401);
  expect(await renewed.stop()).toEqual({ code: 0, signal: null });
});

test('a rotation of SVC_SECRET keeps every key working: the new one first, the old one after it', async () => {
  const [old, next] = [
    'the secret of yesterday with 32 characters',
    'the secret of today with its 32 characters',
  ];
  const { service, env, key } = await startRunningService({ SVC_SECRET: old });
  await service.stop();
  const status = async (url: string): Promise<number> =>
    (await fetch(`${url}/v1/companies`, { headers: bearer(key.token) })).status;
  const rotating = await startSvcd({ ...env, SVC_SECRET: `${next},${old}` });
  expect(await status(rotating.url)).toBe(200);
  await rotating.stop();
  // The key was used meanwhile, and by that moved to the new secret.
  const rotated = await startSvcd({ ...env, SVC_SECRET: next });
  expect(await status(rotated.url)).toBe(200);
  await rotated.stop();
});
