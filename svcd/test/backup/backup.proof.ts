import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { waitFor } from '@svc/embedded-postgres/testing';
import { runSvcd, spawnSvcd } from '@svc/service/harness/process.ts';
import { startRunningService } from '@svc/service/harness/running-service.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, test } from 'vitest';
import { expectDone, keepWriting, newDataDir, quietWorkspace } from './support.ts';

const AUDITS_PER_SECOND = 25_000;
const SECONDS = Number(process.env['PROVE_SECONDS'] ?? '40');
const TIMEOUT_MS = 1_800_000;
const SAMPLE_MS = 100;

type Settings = Readonly<Record<string, string>>;

/** The SHA-256 of the audits of a workspace, as `svcd export` writes them. */
async function exportedAudits(env: Settings, workspaceId: string, file: string): Promise<string> {
  await expectDone(runSvcd(['export', 'audits', file, '--workspace', workspaceId], { env }));
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Runs a command, and returns how long it took, and the most memory that it had. */
async function measured(args: readonly string[], env: Settings) {
  const started = performance.now();
  const command = spawnSvcd(args, { env });
  let peakKb = 0;
  let ended = false;
  void command.ended.then(() => {
    ended = true;
  });
  await waitFor(
    async () => {
      const status = await readFile(`/proc/${command.pid}/status`, 'utf8').catch(() => '');
      peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
      expect(ended).toBe(true);
    },
    { timeout: TIMEOUT_MS, interval: SAMPLE_MS },
  );
  const { code } = await command.ended;
  expect([code, command.stderr()]).toEqual([0, expect.anything()]);
  return { seconds: (performance.now() - started) / 1000, peakMb: Math.round(peakKb / 1024) };
}

test('a backup of many audits under load refuses no request, and the restored copy exports the same bytes', {
  timeout: TIMEOUT_MS,
}, async () => {
  const running = await startRunningService();
  const folder = await temporaryDirectory();
  const audits = SECONDS * AUDITS_PER_SECOND;
  const workspaceId = await quietWorkspace(running.env, 0);
  const source = join(folder, 'source.ndjson');
  function* lines(): Generator<string> {
    for (let index = 0; index < audits; index++)
      yield `{"id":"aud_${index}","companyId":"acme","headlineScore":${index % 100},"completedAt":"2026-03-01T09:30:00Z"}\n`;
  }
  await pipeline(Readable.from(lines()), createWriteStream(source));
  await expectDone(runSvcd(['import', 'audits', source, '--workspace', workspaceId], { env: running.env }));
  const before = await exportedAudits(running.env, workspaceId, join(folder, 'before.ndjson'));

  const file = join(folder, 'large.backup');
  const writing = keepWriting(running);
  const backup = await measured(['backup', file, '--include-secret'], running.env);
  const statuses = await writing.stop();

  const env = await newDataDir();
  const restore = await measured(['restore', file], env);
  expect(await exportedAudits(env, workspaceId, join(folder, 'after.ndjson'))).toBe(before);
  const verified = await expectDone(runSvcd(['verify'], { env }));
  expect(verified.stdout).toContain('no differences');

  const megabytes = ((await stat(file)).size / 1_000_000).toFixed(0);
  const answers = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  process.stdout.write(
    `${audits} audits: backup ${backup.seconds.toFixed(1)} s, ${megabytes} MB, ${backup.peakMb} MB of memory; ` +
      `restore ${restore.seconds.toFixed(1)} s, ${restore.peakMb} MB of memory; answers meanwhile: ${answers}\n`,
  );
  expect([...statuses.keys()].sort()).toEqual([200, 201]);
});
