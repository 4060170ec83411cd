import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { beforeAll, expect, test } from 'vitest';
import { makeDebian, makeRoot, supportedNodes } from './base.ts';

// Installs the packed service in a Debian that has only Node.js and npm, and starts it.

const REPOSITORY = join(import.meta.dirname, '../../..');
const TIMEOUT_MS = 300_000;
const FIRST_RESPONSE_MAX_MS = 60_000;
/** Mounts that end with the process. */
const ENTER = `
  mount --bind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" /bin/sh -c "$1"`;
const COMMANDS = `
  cd /root && npm install --global ./svc-*.tgz >&2 && echo installed >&2 && exec svcd start`;

let folder: string;
let debian: string;
let packed: string;

beforeAll(async () => {
  folder = await temporaryDirectory();
  debian = join(folder, 'debian.tar');
  packed = join(folder, 'packed');
  mkdirSync(packed);
  makeDebian(debian);
  execFileSync('npm', ['run', '--silent', 'pack', '--', '--to', packed], { cwd: REPOSITORY });
}, TIMEOUT_MS);

test.each(supportedNodes)(
  'a fresh Debian with only Node.js $major and npm installs the packed service and serves in less than a minute',
  async (node) => {
    const root = join(folder, `node-${node.major}`);
    makeRoot(debian, root, node);
    for (const program of ['gcc', 'cc', 'g++', 'make', 'python3'])
      expect(existsSync(join(root, 'usr/bin', program))).toBe(false);
    cpSync(packed, join(root, 'root'), { recursive: true });

    const started = performance.now();
    const seconds = (): string => ((performance.now() - started) / 1_000).toFixed(1);
    const child = spawn(
      'unshare',
      ['--mount', '--propagation', 'private', '/bin/sh', '-c', ENTER, root, COMMANDS],
      {
        env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', SVC_PORT: '0' },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    const ended = once(child, 'exit');
    try {
      let printed = '';
      let installed = '';
      for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
        printed += chunk;
        if (installed === '' && /^installed$/m.test(printed)) installed = seconds();
        if (/^stop /m.test(printed)) break;
      }
      child.stderr.resume();
      const [, url = ''] = /^svc serves (http:\S+)/m.exec(printed) ?? [];
      expect(url, printed).not.toBe('');
      const responses = await Promise.all(['/readyz', '/openapi.json'].map((path) => fetch(`${url}${path}`)));
      const ms = performance.now() - started;
      expect(responses.map(({ status }) => status)).toEqual([200, 200]);
      process.stdout.write(
        `Node.js ${node.major}: installed after ${installed} s, responds after ${seconds()} s\n`,
      );
      expect(ms).toBeLessThan(FIRST_RESPONSE_MAX_MS);
    } finally {
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    }
  },
  TIMEOUT_MS,
);
