import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@svc/embedded-postgres/testing';
import { PASSWORD, signIn } from '@svc/service/harness/dashboard-http.ts';
import { secret } from '@svc/service/harness/secrets.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeDebian, makeRoot, supportedNodes } from './base.ts';
import { buildImage, type Image } from './build.ts';
import { installClient } from './client.ts';
import { type Container, startContainer } from './container.ts';

// Builds the image on a Debian that has only Node.js and npm, and runs it as a container runtime does.

const REPOSITORY = join(import.meta.dirname, '../../..');
const TIMEOUT_MS = 300_000;
/** It downloads the packages of Debian. */
const BUILD_TIMEOUT_MS = 900_000;
const IMAGE_MAX_MB = 250;
const SERVICE = { SVC_HOST: '127.0.0.1', SVC_PORT: '0', SVC_WORKERS: '2' };
const SVC_USER = 65_525;

let folder: string;
let debian: string;
let context: string;

beforeAll(async () => {
  folder = await temporaryDirectory();
  debian = join(folder, 'debian.tar');
  context = join(folder, 'context');
  mkdirSync(context);
  makeDebian(debian);
  execFileSync('npm', ['run', '--silent', 'pack', '--', '--to', context], { cwd: REPOSITORY });
}, BUILD_TIMEOUT_MS);

const megabytesOf = (path: string): number =>
  Number.parseInt(execFileSync('du', ['-smx', path], { encoding: 'utf8' }), 10);

/** The paths below a folder that `find` finds. */
const find = (root: string, ...tests: readonly string[]): readonly string[] =>
  execFileSync('find', [root, '-xdev', ...tests], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
    .map((path) => path.slice(root.length) || '/');

describe('the image', () => {
  let image: Image;
  let baseMb: number;

  beforeAll(() => {
    const node = supportedNodes.at(-1);
    if (node === undefined) throw new Error('no supported Node.js');
    const base = join(folder, 'base');
    makeRoot(debian, base, node);
    baseMb = megabytesOf(base);
    image = buildImage(join(folder, 'store'), base, context);
    rmSync(base, { recursive: true });
    return () => image.remove();
  }, TIMEOUT_MS);

  /** A volume that belongs to a user and a group. */
  async function volumeOf(uid: number, gid: number, mode: number): Promise<string> {
    const volume = await temporaryDirectory();
    chownSync(volume, uid, gid);
    chmodSync(volume, mode);
    return volume;
  }
  /** As a container runtime creates it from the image. */
  const newVolume = (): Promise<string> => volumeOf(SVC_USER, SVC_USER, 0o700);

  const expectHealthy = (container: Container): void => {
    const [kind, ...command] = image.config.Healthcheck.Test;
    expect(kind).toBe('CMD');
    const port = new URL(container.url).port;
    expect(container.exec(['/usr/bin/env', `SVC_PORT=${port}`, ...command])).toContain('responds with 200');
  };

  test('says how to run it', () => {
    const { Env: env, ...config } = image.config;
    expect(config).toMatchObject({
      User: 'svc',
      Entrypoint: ['tini', '--', 'svcd'],
      Cmd: ['start'],
      Volumes: { '/var/lib/svc': {} },
      ExposedPorts: { '8080/tcp': {} },
      WorkingDir: '/var/lib/svc',
      StopSignal: 'SIGTERM',
      Healthcheck: { Test: ['CMD', 'svcd', 'health'] },
      Labels: {
        'org.opencontainers.image.version': '0.2.0',
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
    });
    expect(env).toEqual(expect.arrayContaining(['SVC_HOST=0.0.0.0', 'SVC_DATA_DIR=/var/lib/svc']));
    expect(env.filter((variable) => /SECRET|PASSWORD|KEY|TOKEN/.test(variable))).toEqual([]);
  });

  test('has no tools of development, no caches and no secrets, and its user can write only to the volume', () => {
    const added = megabytesOf(image.root) - baseMb;
    process.stdout.write(`the image takes ${baseMb + added} MB, of which the base takes ${baseMb} MB\n`);
    expect(added).toBeLessThan(IMAGE_MAX_MB);
    const modules = readdirSync(join(image.root, 'usr/local/lib/node_modules/svc/node_modules'));
    for (const tool of ['vite', 'vitest', 'typescript', 'react', '@biomejs', 'rolldown', 'node'])
      expect(modules).not.toContain(tool);
    for (const program of ['gcc', 'cc', 'g++', 'make', 'python3', 'git', 'curl'])
      expect(existsSync(join(image.root, 'usr/bin', program))).toBe(false);
    // Only the client that the service serves.
    expect(find(image.root, '-name', '*.tgz', '-o', '-name', 'secret', '-o', '-name', '.npm')).toEqual([
      expect.stringMatching(/\/svc\/dist\/sdk\/package\/svc-sdk-[\d.]+\.tgz$/),
    ]);
    expect(find(image.root, '(', '-user', String(SVC_USER), '-o', '-group', String(SVC_USER), ')')).toEqual([
      '/var/lib/svc',
    ]);
    // Directories in which everyone may create files, but not change those of others.
    const writable = find(
      image.root,
      '!',
      '-type',
      'l',
      '!',
      '-type',
      'c',
      '-perm',
      '-0002',
      '!',
      '-perm',
      '-1000',
    );
    expect(writable).toEqual([]);
    expect(find(join(image.root, 'usr/local/lib/node_modules/svc'), '!', '-user', '0')).toEqual([]);
  });

  test(
    'serves with a read-only root file system, stops on SIGTERM, and keeps its data, also after kill -9',
    async () => {
      const volume = await newVolume();
      const first = await startContainer(image, volume, SERVICE);
      expect(first.stderr()).toMatch(/^set up http:\S+/m);
      for (const path of ['/readyz', '/healthz', '/sign-in', '/docs'])
        expect([path, (await fetch(`${first.url}${path}`)).status]).toEqual([path, 200]);
      expectHealthy(first);
      expect(() => first.exec(['touch', '/usr/local/new'])).toThrow('Read-only file system');
      const bootstrap = [
        'svcd',
        'bootstrap',
        '--email',
        'owner@example.com',
        '--workspace',
        'Test',
        '--json',
      ];
      const { workspaceId } = JSON.parse(first.exec(bootstrap, PASSWORD)) as { readonly workspaceId: string };
      const { token } = await (await signIn(first)).createKey(workspaceId, { access: 'write' });
      const created = await ask(first, '/v1/companies', token, { id: 'com_1', name: 'Kept' });
      expect(created.status).toBe(201);
      expect(await installClient(first.url, token)).toEqual({ library: 'Kept\n', command: 'Kept\n' });
      expect(await first.signal('SIGTERM')).toEqual({ code: 0, signal: null });

      const second = await startContainer(image, volume, SERVICE);
      expect(await (await ask(second, '/v1/companies/com_1', token)).json()).toMatchObject({ name: 'Kept' });
      expect((await ask(second, '/v1/companies', token, { id: 'com_2', name: 'Written' })).status).toBe(201);
      expect((await second.signal('SIGKILL')).code).not.toBe(0);

      const third = await startContainer(image, volume, SERVICE);
      expect(await (await ask(third, '/v1/companies/com_2', token)).json()).toMatchObject({
        name: 'Written',
      });
      third.exec(['svcd', 'verify']);
      expect(await third.signal('SIGTERM')).toEqual({ code: 0, signal: null });
    },
    TIMEOUT_MS,
  );

  test(
    'runs on a volume of root with the group of its user, as Kubernetes mounts it, and leaves no dead processes',
    async () => {
      const container = await startContainer(image, await volumeOf(0, SVC_USER, 0o2775), SERVICE);
      const servers = container.processes().filter(({ name }) => name === 'postgres');
      const parents = servers.map(({ pid }) => pid);
      // The server is the process that was started first; the others are its children.
      process.kill(Math.min(...parents), 'SIGKILL');
      await waitFor(async () => {
        const now = container.processes();
        expect(now.filter(({ pid }) => parents.includes(pid))).toEqual([]);
        expect(now.filter(({ state }) => state === 'Z')).toEqual([]);
        expect((await fetch(`${container.url}/readyz`)).status).toBe(200);
      });
      expect(await container.signal('SIGTERM')).toEqual({ code: 0, signal: null });
    },
    TIMEOUT_MS,
  );
});

const ask = (
  { url }: Pick<Container, 'url'>,
  path: string,
  token: string,
  body?: unknown,
): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${secret(token)}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
