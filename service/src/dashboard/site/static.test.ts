import { createHash } from 'node:crypto';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { onFileEnd } from '../../../test/harness/cleanup.ts';
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts';
import { registerStatic } from './static.ts';

const SCRIPT = 'console.info("a page");'.repeat(100);
const INLINE = "document.documentElement.dataset.theme = 'dark';";
const PAGE = `<meta name="csp-nonce" nonce="%CSP_NONCE%"><style nonce="%CSP_NONCE%"></style><script>${INLINE}</script>
<p>%PAGE_TITLE%</p><p>%PAGE_DESCRIPTION%</p><script type="module" src="./assets/index-abc.js"></script>`;

const lines: string[] = [];

async function serve(publicUrl: string, directory: string): Promise<FastifyInstance> {
  const log: FastifyBaseLogger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const app = Fastify({ loggerInstance: log });
  registerStatic(app, { publicUrl, directory });
  await app.ready();
  onFileEnd(() => app.close());
  return app;
}

let directory: string;
let app: FastifyInstance;
beforeAll(async () => {
  directory = await temporaryDirectory();
  await mkdir(join(directory, 'assets'));
  await writeFile(join(directory, 'index.html'), PAGE);
  await writeFile(
    join(directory, 'pages.json'),
    JSON.stringify([
      { path: '/' },
      { path: '/w/$workspaceId/keys', title: 'Keys & <more>', description: 'For $& programs' },
    ]),
  );
  await writeFile(join(directory, 'theme.js'), SCRIPT);
  await writeFile(join(directory, 'assets', 'index-abc.js'), SCRIPT);
  await writeFile(join(directory, 'assets', 'index-abc.js.br'), brotliCompressSync(SCRIPT));
  app = await serve('http://svc.test', directory);
});

describe('the built dashboard', () => {
  test('of an older version stops the start, and the error says what to do', async () => {
    const older = await temporaryDirectory();
    await writeFile(join(older, 'index.html'), PAGE);
    await writeFile(join(older, 'pages.json'), JSON.stringify(['/', '/sign-in']));
    await expect(serve('http://svc.test', older)).rejects.toThrow(/npm run build -w dashboard/);
  });

  test('is served at other paths of workspaces with 404, so that a mistyped address leads to a page', async () => {
    for (const url of ['/w/wks_1', '/w/wks_1/keys/', '/w/wks_1/nowhere?a=b']) {
      const { statusCode, headers, body } = await app.inject({ url });
      expect([statusCode, headers['content-type']], url).toEqual([404, 'text/html; charset=utf-8']);
      expect(body, url).toContain('./assets/index-abc.js'.slice(1));
    }
    expect((await app.inject({ method: 'POST', url: '/w/wks_1' })).headers['content-type']).toMatch(/json/);
  });

  test('is served only at the paths of its pages, and of workspaces', async () => {
    for (const url of ['/', '/w/wks_1/keys', '/w/wks_1/keys?status=revoked']) {
      const { statusCode, headers } = await app.inject({ url });
      expect([statusCode, headers['content-type']], url).toEqual([200, 'text/html; charset=utf-8']);
    }
    for (const url of ['/w', '/keys', '/index.html', '/pages.json', '/assets/', '/assets/index-abc.js.br']) {
      expect((await app.inject({ url })).statusCode, url).toBe(404);
    }
    expect((await app.inject({ url: '/assets/../../package.json' })).statusCode).toBe(404);
  });

  test('may run its own scripts, only the inline script of the build, and only a style with the nonce of the response', async () => {
    const answers = [await app.inject({ url: '/' }), await app.inject({ url: '/' })];
    const nonces = answers.map(({ body, headers }) => {
      const nonce = /nonce="([\w-]{22})"/.exec(body)?.[1] ?? 'none';
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`);
      expect(policy).toContain("default-src 'none'");
      const hash = createHash('sha256').update(INLINE).digest('base64');
      expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
      expect(body).not.toContain('%CSP_NONCE%');
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|upgrade-insecure-requests|https?:|\*/);
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'cache-control': 'no-cache',
      });
      return nonce;
    });
    expect(new Set(nonces).size).toBe(2);
  });

  test('shows the head of the page before its code is loaded', async () => {
    const keys = await app.inject({ url: '/w/wks_1/keys' });
    expect(keys.body).toContain('<p>Keys &#38; &#60;more&#62;</p><p>For $&#38; programs</p>');
    expect((await app.inject({ url: '/' })).body).toContain('<p></p><p></p>');
  });

  test('is cached forever if its name has a hash, and revalidated otherwise', async () => {
    const asset = await app.inject({ url: '/assets/index-abc.js' });
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await app.inject({ url: '/theme.js' })).headers['cache-control']).toBe('no-cache');
  });

  test('is sent as the build has compressed it', async () => {
    const headers = { 'accept-encoding': 'gzip, br' };
    const asset = await app.inject({ url: '/assets/index-abc.js', headers });
    expect(asset.headers['content-encoding']).toBe('br');
    expect(asset.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'accept-encoding',
    });
    expect(brotliDecompressSync(asset.rawPayload).toString()).toBe(SCRIPT);
    for (const encoding of ['', 'gzip', 'br;q=0', 'identity']) {
      const plain = await app.inject({
        url: '/assets/index-abc.js',
        headers: { 'accept-encoding': encoding },
      });
      expect([plain.headers['content-encoding'], plain.body], encoding).toEqual([undefined, SCRIPT]);
    }
  });

  test('does not change while another build is written', async () => {
    const other = await temporaryDirectory();
    await cp(directory, other, { recursive: true });
    const running = await serve('http://svc.test', other);
    await rm(other, { recursive: true });
    expect((await running.inject({ url: '/' })).statusCode).toBe(200);
    expect((await running.inject({ url: '/assets/index-abc.js' })).body).toBe(SCRIPT);
  });

  test('works below a path', async () => {
    const below = await serve('https://example.com/tools/svc', directory);
    const { body, headers } = await below.inject({ url: '/' });
    expect(body).toContain('src="/tools/svc/assets/index-abc.js"');
    expect(headers['strict-transport-security']).toBeDefined();
  });
});

test('a service without a built dashboard says so in one line, and serves the rest', async () => {
  lines.length = 0;
  const bare = await serve('http://svc.test', join(directory, 'nothing'));
  expect((await bare.inject({ url: '/' })).statusCode).toBe(404);
  expect(lines).toEqual([expect.stringContaining('npm run build -w dashboard')]);
});
