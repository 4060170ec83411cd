import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listen } from '@svc/service/harness/socket.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { createWorld } from '@svc/service/harness/world.ts';
import { describe, expect, test } from 'vitest';
import { run } from './package.ts';

const ROOT = join(import.meta.dirname, '../../..');
const { service, workspaceId } = await createWorld();
const env = {
  SVC_BASE_URL: await listen(service),
  SVC_API_KEY: await service.token(workspaceId, { access: 'write' }),
};

/** A project whose @svc/sdk is this repository's. */
const project = await temporaryDirectory();
await mkdir(join(project, 'node_modules/@svc'), { recursive: true });
await mkdir(join(project, 'bin'));
await symlink(join(ROOT, 'sdk'), join(project, 'node_modules/@svc/sdk'));
await symlink(join(ROOT, 'node_modules/@types'), join(project, 'node_modules/@types'));
await writeFile(join(project, 'package.json'), '{ "type": "module" }\n');
const main = join(ROOT, 'sdk/src/cli/main.ts');
await writeFile(join(project, 'bin/svc'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, {
  mode: 0o755,
});

const readme = await readFile(join(ROOT, 'sdk/README.md'), 'utf8');
const blocks = (language: string): readonly string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);

/** The examples. Those after the first one use the client that the first one creates. */
const programs = blocks('ts').map((text) =>
  text.includes('new Svc(') ? text : `import { Svc } from '@svc/sdk';\nconst svc = new Svc();\n${text}`,
);
const sections = [...readme.matchAll(/^##+ (.*)$|^```ts$/gm)];
const titles = sections.flatMap(([line], i) =>
  line === '```ts' ? [sections.slice(0, i).findLast(([earlier]) => earlier !== '```ts')?.[1] ?? ''] : [],
);

describe('the examples of the README', () => {
  test.each(programs.map((text, i) => ({ title: titles[i], text, i })))(
    'run: $title ($i)',
    async ({ text, i }) => {
      const file = join(project, `example-${i}.ts`);
      await writeFile(file, text);
      const { stdout, stderr } = await run(process.execPath, [file], { cwd: project, env });
      expect(stderr).toBe('');
      if (text.includes('console.log')) expect(stdout).not.toBe('');
    },
  );

  test('run with a test key, until the text asks for a live key', async () => {
    const token = await service.token(workspaceId, { mode: 'test', access: 'write' });
    const first = programs.findIndex((text) => text.includes('svc.batch('));
    for (const i of [0, first]) {
      const file = join(project, `sandbox-${i}.ts`);
      await writeFile(file, programs[i] ?? '');
      const { stdout, stderr } = await run(process.execPath, [file], {
        cwd: project,
        env: { ...env, SVC_API_KEY: token },
      });
      expect(stderr).toBe('');
      expect(stdout).not.toBe('');
      if (i === first) expect(stdout).toMatch(/\[ 20[01], 201 \] test/);
    }
  });

  test('compile', async () => {
    await Promise.all(
      programs.map((text, i) => writeFile(join(project, `compiled-${i}.ts`), `${text}\nexport {};\n`)),
    );
    const options = {
      strict: true,
      noEmit: true,
      target: 'es2022',
      lib: ['es2023'],
      types: ['node'],
      module: 'nodenext',
    };
    const compilerOptions = { ...options, allowImportingTsExtensions: true, skipLibCheck: true };
    await writeFile(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['compiled-*.ts'] }),
    );
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project]);
  });

  const lines = blocks('sh').flatMap((text) => text.split('\n').filter((line) => /\bsvc \w/.test(line)));

  test.each(lines)('run on the command line: %s', async (line) => {
    const path = `${join(project, 'bin')}:${process.env['PATH']}`;
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', line], {
      cwd: project,
      env: { ...env, PATH: path },
    });
    if (!line.includes('>')) expect(stdout).not.toBe('');
  });
});
