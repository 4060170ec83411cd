import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { requireProgram } from './base.ts';

const CONTAINERFILE = join(import.meta.dirname, '../../../deploy/Containerfile');
const BASE = 'localhost/debian-with-node';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What an image tells the program that runs it. */
interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly ExposedPorts: Readonly<Record<string, unknown>>;
  readonly WorkingDir: string;
  readonly StopSignal: string;
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly Labels: Readonly<Record<string, string>>;
}

export interface Image {
  readonly config: ImageConfig;
  /** The folder with its file system. */
  readonly root: string;
  /** Unmounts and removes it. */
  readonly remove: () => void;
}

/**
 * Builds the image with buildah, from the packed service in the folder `context`, on the Debian in the folder `base`. The
 * images and layers are in the folder `store`. `--isolation chroot` needs no container runtime.
 */
export function buildImage(store: string, base: string, context: string): Image {
  const buildah = requireProgram('/usr/bin/buildah', 'buildah');
  const storage = ['--root', join(store, 'root'), '--runroot', join(store, 'run')];
  const run = (...args: readonly string[]): string =>
    execFileSync(buildah, [...storage, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  const scratch = run('from', 'scratch');
  run('add', '--quiet', scratch, base, '/');
  run('config', '--env', `PATH=${PATH}`, scratch);
  run('commit', '--quiet', scratch, BASE);
  run('rm', scratch);
  const options = ['--isolation', 'chroot', '--format', 'docker', '--build-arg', `BASE=${BASE}`];
  run('build', ...options, '--file', CONTAINERFILE, '--tag', 'svc', context);
  const { Docker: docker } = JSON.parse(run('inspect', '--type', 'image', 'svc')) as {
    readonly Docker: { readonly config: ImageConfig };
  };
  const container = run('from', 'localhost/svc');
  return {
    config: docker.config,
    root: run('mount', container),
    remove: () => {
      run('rm', '--all');
      run('rmi', '--all', '--force');
      // buildah leaves the folder of its layers mounted on itself.
      spawnSync('umount', [join(store, 'root/overlay')]);
    },
  };
}
