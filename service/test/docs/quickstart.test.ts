import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { dataDirectory } from '@svc/embedded-postgres/testing';
import { beforeAll, expect, test } from 'vitest';
import { packClient } from '../../../sdk/tools/pack.ts';
import { spawnSvcd } from '../harness/process.ts';
import { secret } from '../harness/secrets.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { type Language, REPOSITORY } from './documents.ts';
import { canRun } from './run.ts';

/** A newcomer who copies the blocks of the page has the first record within this time. */
const MAX_SECONDS = 60;
const PLACEHOLDER = 'svc_test_…';

// `npm ci` does this. A test may run without it, or after a change of the client.
beforeAll(() => {
  packClient(join(REPOSITORY, 'sdk/package'));
});

const isLanguage = (name: string): name is Language => ['sh', 'ts', 'python'].includes(name);

interface Demo {
  readonly url: string;
  readonly testKey: string;
  readonly liveKey: string;
}

/** Every block of the page that runs, in its order, as one script. A line before each says which one begins. */
function scriptOf(markdown: string, key: string): string {
  const blocks = [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, language = '', text = '']) =>
    isLanguage(language) && canRun(language) ? [{ language, text }] : [],
  );
  return blocks
    .map(({ language, text }, index) => {
      const begin = `echo "BLOCK ${index} $(date +%s.%N)"\n`;
      if (language === 'sh') return begin + text.replace(PLACEHOLDER, key);
      const [file, program] = language === 'ts' ? ['first.mts', 'node'] : ['first.py', 'python3'];
      return `${begin}cat > ${file} << 'END OF THE EXAMPLE'\n${text}END OF THE EXAMPLE\n${program} ${file}\n`;
    })
    .join('');
}

test.each(['testKey', 'liveKey'] as const)(
  'the blocks of the quickstart, in order and in an empty folder, lead from nothing to the first record in a minute: %s',
  async (kind) => {
    const startMs = Date.now();
    const svcd = spawnSvcd(['demo', '--json'], {
      env: { SVC_DATA_DIR: await dataDirectory() },
      resultIsSecret: true,
    });
    const demo = JSON.parse((await svcd.printed(/^\{.*"testKey".*\}$/m))[0]) as Demo;
    const page = await (await fetch(`${demo.url}/docs/quickstart.md`)).text();
    expect(page).toContain(`export SVC_BASE_URL=${demo.url}\n`);

    const home = await temporaryDirectory();
    const folder = join(home, 'empty');
    await mkdir(folder);
    const { stdout, stderr } = await promisify(execFile)(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', scriptOf(page, secret(demo[kind]))],
      {
        cwd: folder,
        env: {
          HOME: home,
          PATH: [join(home, 'global/bin'), dirname(process.execPath), process.env['PATH']].join(':'),
          // Where `npm install --global` puts it; and npm asks no registry.
          npm_config_prefix: join(home, 'global'),
          npm_config_cache: join(home, 'cache'),
          npm_config_registry: 'http://127.0.0.1:9/',
          npm_config_audit: 'false',
          npm_config_update_notifier: 'false',
        },
      },
    );

    const outputs = stdout.split(/^BLOCK \d+ /m).slice(1);
    const times = outputs.map((output) => Number.parseFloat(output));
    const of = (pattern: RegExp): number => outputs.findIndex((output) => pattern.test(output));
    const first = of(/"data":\[\{"id":"/);
    expect(first).toBeGreaterThan(0);
    const seconds = ((times[first + 1] ?? 0) * 1000 - startMs) / 1000;
    process.stderr.write(`quickstart: the first record after ${seconds.toFixed(1)} s (${kind})\n`);
    expect(seconds).toBeLessThan(MAX_SECONDS);
    // Each language counts all audits, and creates a company.
    const texts = outputs.slice(first).join('');
    const languages = 3 + (canRun('python') ? 1 : 0);
    expect(texts.match(/^2000 audits$/gm)).toHaveLength(languages);
    expect(texts.match(/com_[0-9a-z]{26}(?=["\s]).*$/gm)?.length).toBeGreaterThanOrEqual(languages);
    expect(stderr.replace(/^svc: this is a test key.*\n/gm, '')).toBe('');

    const companies = await fetch(`${demo.url}/v1/companies?limit=100`, {
      headers: { authorization: `Bearer ${demo[kind]}` },
    });
    const { data } = (await companies.json()) as { readonly data: readonly { readonly name: string }[] };
    const created = data.filter(({ name }) => name === 'Acme').length;
    // Each language creates one, and the batch another.
    expect(created).toBe(kind === 'liveKey' ? languages + 1 : 0);

    // The installed command also serves language models.
    const mcp = new Client({ name: 'test', version: '1.0.0' });
    await mcp.connect(
      new StdioClientTransport({
        command: join(home, 'global/bin/svc'),
        args: ['mcp'],
        env: {
          PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
          SVC_BASE_URL: demo.url,
          SVC_API_KEY: demo[kind],
        },
        stderr: 'ignore',
      }),
    );
    const { content } = await mcp.callTool({ name: 'count_audits', arguments: {} });
    expect(content).toMatchObject([{ text: expect.stringContaining('"count":2000') }]);
    await mcp.close();
    await svcd.stop();
  },
);
