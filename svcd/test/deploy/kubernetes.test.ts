import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { findProgram } from '../../../tools/debian.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');
const MANIFESTS = join(REPOSITORY, 'deploy/kubernetes');
const TYPES = join(REPOSITORY, 'node_modules/kubernetes-models');
/** How long the service needs at most to stop: requests are aborted after 30 seconds, and then its database stops. */
const STOPS_WITHIN_S = 38;
/** The user `svc` of the image. */
const SVC_USER = 65_525;

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const kubectl = findProgram('/usr/bin/kubectl', 'kubernetes-client');
if (kubectl === undefined && process.env['CI'] !== undefined) throw new Error('kubectl is missing');

/** What `kubectl kustomize` prints for an overlay. */
async function render(overlay: string): Promise<readonly Manifest[]> {
  const folder = await temporaryDirectory();
  cpSync(MANIFESTS, folder, { recursive: true });
  if (isOld())
    for (const file of globSync('**/kustomization.yaml', { cwd: folder })) translate(join(folder, file));
  const text = execFileSync(kubectl ?? '', ['kustomize', join(folder, 'overlays', overlay)], {
    encoding: 'utf8',
  });
  return parseAllDocuments(text).map((document) => document.toJS());
}

/** Whether the kubectl is older than 1.21, as Debian 12's is: its Kustomize has earlier names of two fields. */
function isOld(): boolean {
  const { stdout } = spawnSync(kubectl ?? '', ['version', '--client', '--output', 'json'], {
    encoding: 'utf8',
  });
  const { clientVersion } = JSON.parse(stdout) as { readonly clientVersion: { readonly minor: string } };
  return Number.parseInt(clientVersion.minor, 10) < 21;
}

function translate(file: string): void {
  const {
    resources = [],
    patches = [],
    ...rest
  } = parse(readFileSync(file, 'utf8')) as {
    readonly resources?: readonly string[];
    readonly patches?: readonly { readonly path: string }[];
  };
  const bases = resources.filter((path) => path.startsWith('..'));
  const files = resources.filter((path) => !bases.includes(path));
  const patchesStrategicMerge = patches.map(({ path }) => path);
  writeFileSync(file, JSON.stringify({ ...rest, resources: files, bases, patchesStrategicMerge }));
}

/** The errors of the schemas of Kubernetes, and of its types, which also refuse unknown fields. */
async function mistakesOf(manifests: readonly Manifest[]): Promise<string> {
  const lines: string[] = [];
  for (const [index, manifest] of manifests.entries()) {
    const { apiVersion, kind } = manifest;
    const module = await import(/* @vite-ignore */ `kubernetes-models/${apiVersion}/${kind}`);
    new module[kind](manifest).validate();
    lines.push(`import type { I${kind} as T${index} } from '${TYPES}/${apiVersion}/${kind}.d.ts';`);
    lines.push(`export const m${index}: T${index} = ${JSON.stringify(manifest)};`);
  }
  const folder = await temporaryDirectory();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'manifests.ts');
  writeFileSync(file, lines.join('\n'));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext'];
  const tsc = join(REPOSITORY, 'node_modules/.bin/tsc');
  const { stdout } = spawnSync(tsc, [...options, '--ignoreConfig', '--types', '', file], {
    encoding: 'utf8',
  });
  return stdout;
}

// Only Debian has the package.
describe.skipIf(kubectl === undefined).each([
  {
    overlay: 'single',
    kinds: ['ConfigMap', 'Deployment', 'NetworkPolicy', 'PersistentVolumeClaim', 'Service', 'ServiceAccount'],
    spec: { replicas: 1, strategy: { type: 'Recreate' } },
  },
  {
    overlay: 'nodes',
    kinds: ['ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount'],
    spec: { replicas: 2, strategy: { type: 'RollingUpdate' } },
  },
])('the overlay $overlay', ({ overlay, kinds, spec }) => {
  test('is what Kubernetes accepts', async () => {
    const manifests = await render(overlay);
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(kinds);
    expect(await mistakesOf(manifests)).toBe('');
  });

  test('runs with the restricted rights that Kubernetes defines, and has time to stop', async () => {
    const deployment = (await render(overlay)).find(({ kind }) => kind === 'Deployment') as IDeployment;
    expect(deployment.spec).toMatchObject(spec);
    const pod = deployment.spec?.template.spec;
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: SVC_USER,
        fsGroup: SVC_USER,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          image: 'svc:0.2.0',
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          startupProbe: { httpGet: { path: '/healthz' } },
          readinessProbe: { httpGet: { path: '/readyz' } },
          livenessProbe: { httpGet: { path: '/healthz' } },
        },
      ],
    });
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(STOPS_WITHIN_S);
  });

  test('contains no secret', async () => {
    const manifests = await render(overlay);
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    expect(JSON.stringify(manifests)).not.toMatch(/"name":"SVC_(SECRET|DATABASE_URL)","value"/);
  });
});

test('the time to stop and the memory of a worker are the same in the documents and the manifests', () => {
  const { spec } = parse(readFileSync(join(MANIFESTS, 'base/deployment.yaml'), 'utf8')) as IDeployment;
  const pod = spec?.template.spec;
  const command = pod?.containers[0]?.lifecycle?.preStop?.exec?.command;
  const remainsS = (pod?.terminationGracePeriodSeconds ?? 0) - Number(command?.at(-1));
  expect(remainsS).toBeGreaterThan(STOPS_WITHIN_S);
  const page = readFileSync(join(REPOSITORY, 'docs/containers.md'), 'utf8').replaceAll('\n', ' ');
  expect(page).toContain(`${remainsS} seconds remain, and the service needs up to ${STOPS_WITHIN_S} to stop`);

  const operations = readFileSync(join(REPOSITORY, 'docs/operations.md'), 'utf8');
  const [, usedMb, primaryMb] = /about (\d+) MB under load, and .* about (\d+) MB/.exec(operations) ?? [];
  for (const overlay of ['single', 'nodes']) {
    const patch = readFileSync(join(MANIFESTS, 'overlays', overlay, 'deployment.yaml'), 'utf8');
    expect(patch).toContain(`Two workers (${usedMb} MB each, with reserve 300)`);
    expect(patch).toContain(`the primary process (${primaryMb} MB)`);
  }
});

test('the example of an Ingress is what Kubernetes accepts, and a misspelt field is not', async () => {
  const ingress = parse(readFileSync(join(MANIFESTS, 'ingress-example.yaml'), 'utf8')) as Manifest & {
    readonly spec: object;
  };
  expect(await mistakesOf([ingress])).toBe('');
  expect(
    await mistakesOf([{ ...ingress, spec: { ...ingress.spec, ingressClasName: 'nginx' } } as Manifest]),
  ).toContain('"ingressClasName"\' does not exist');
});
