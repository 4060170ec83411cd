import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { startDnsServer } from './support/dns-server.ts';

/** Runs a command that sees another file in the place of one. Only Linux has it. */
const OWN_MOUNTS = ['unshare', ['--map-root-user', '--mount']] as const;
const [command, flags] = OWN_MOUNTS;
const possible = spawnSync(command, [...flags, 'true']).status === 0;

// A container may forbid it.
test.runIf(possible)('the DNS servers of the system may change while the process runs', async () => {
  const [old, current] = [
    await startDnsServer({ 'a.example': [['10.0.0.1']] }),
    await startDnsServer({ 'a.example': [['10.0.0.2']] }),
  ];
  const directory = await mkdtemp(join(tmpdir(), 'svc-test-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'resolv.conf');
  await writeFile(file, `nameserver ${old}\n`);
  const run = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
  const program = join(import.meta.dirname, 'support/lookup.fixture.ts');
  const child = spawn(command, [...flags, 'sh', '-c', run, file, process.execPath, program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const look = async (): Promise<unknown> => {
    child.stdin.write('a.example\n');
    return (await lines.next()).value;
  };
  expect(await look()).toBe('10.0.0.1');
  await writeFile(file, `nameserver ${current}\n`);
  expect(await look()).toBe('10.0.0.2');
});
