import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { AUDIT_LOG_KINDS, VERSION } from '@svc/sdk';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { bigQuery, LISTS } from '@svc/service/harness/lists.ts';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { createTestService } from '@svc/service/harness/service.ts';
import { addressOfNobody, listen, portOf } from '@svc/service/harness/socket.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, test } from 'vitest';
import { type CliResult, ended, records } from './cli.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');
/** More than a pipe buffers, so that the writer notices when the reader ends. */
const MENTIONS = 3_000;

const service = await createTestService();
const workspaceId = await service.workspace();
const token = await service.token(workspaceId, { mode: 'test' });
const address = await listen(service);
const home = await temporaryDirectory();
const env = {
  ...process.env,
  SVC_API_KEY: token,
  SVC_BASE_URL: address,
  XDG_CONFIG_HOME: home,
  NODE_NO_WARNINGS: '1',
};

const companyId = 'com_a';
await seedRecords(service.pool, workspaceId, resourceNamed('companies'), [
  { id: companyId, createdAt: '2026-01-01T00:00:00Z' },
]);
const rows = Array.from({ length: MENTIONS }, (_, i) => ({
  id: `men_${i}`,
  companyId,
  excerpt: 'x'.repeat(500),
  createdAt: `2026-02-01T00:00:00.${String(i).padStart(6, '0')}Z`,
}));
await seedRecords(service.pool, workspaceId, resourceNamed('mentions'), rows);

/** Runs a line of bash in which `svc` is the command. */
const bash = (line: string): Promise<CliResult> =>
  ended(
    spawn('bash', ['-c', `set -o pipefail; svc() { "${process.execPath}" "${MAIN}" "$@"; }; ${line}`], {
      env,
    }),
  );

test('every record of a long list goes through a pipe', async () => {
  const mentions = LISTS.find(({ name }) => name === 'mentions');
  if (mentions === undefined) throw new Error('there are no mentions');
  const { code, stdout, stderr } = await bash('svc mentions list --all | cat');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(records(stdout).map(({ id }) => id)).toEqual(await bigQuery(service.pool, workspaceId, mentions));
});

test('a reader that stops early, such as head, ends it without a message and with success', async () => {
  for (const format of ['ndjson', 'csv', 'json', 'table']) {
    const { code, stdout, stderr } = await bash(`svc mentions list --all --format ${format} | head -n 2`);
    expect({ code, stderr, lines: stdout.split('\n').length }).toEqual({ code: 0, stderr: '', lines: 3 });
  }
});

test.each(['mentions list --all', 'mentions tail --once --after start', '--help', 'completion bash'])(
  'a full disk is reported in one line, with code 1: %s',
  async (command) => {
    const message = 'svc: The output cannot be written: ENOSPC: no space left on device, write\n';
    expect(await bash(`svc ${command} > /dev/full`)).toEqual({ code: 1, stdout: '', stderr: message });
  },
);

test('a file that cannot take all of the output is reported, and a tail continues with what it lacks', async () => {
  const [position, full, rest] = ['position', 'full', 'rest'].map((name) => join(home, name));
  const tail = `svc mentions tail --once --after start --position ${position}`;
  const message = 'svc: The output cannot be written: EFBIG: file too large, write\n';
  for (const command of [tail, 'svc mentions list', 'svc --help'])
    expect(await bash(`ulimit -f 1; ${command} > ${full}`)).toMatchObject({ code: 1, stderr: message });
  await bash(`echo '{"id":"earlier"}' > ${rest}; ${tail} >> ${rest}`);
  const ids = records(await readFile(String(rest), 'utf8')).map(({ id }) => id);
  expect(ids).toEqual(['earlier', ...rows.map(({ id }) => id)]);
});

test('a file that cannot be written is reported in one line, with code 1', async () => {
  const { code, stderr } = await bash('svc mentions tail --once --position /dev/null/position');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^svc: .*\/dev\/null\/position.*\n$/);
});

test('it uses the proxy of the environment if NODE_USE_ENV_PROXY is set', async () => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"count":7,"approximate":false}');
  });
  proxy.on('connect', ({ url = '' }, socket) => {
    asked.push(url);
    const tunnel = connect(Number(new URL(address).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      tunnel.pipe(socket).pipe(tunnel);
    });
    for (const end of [socket, tunnel]) end.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onFileEnd(async () => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const settings = `NODE_USE_ENV_PROXY=1 NO_PROXY= HTTP_PROXY=http://127.0.0.1:${portOf(proxy)}`;
  const { code } = await bash(`SVC_BASE_URL=http://svc.test ${settings} svc audits count`);
  expect(code).toBe(0);
  expect(asked[0]).toContain('svc.test');
});

test('each retry is reported in complete sentences', async () => {
  const { code, stderr } = await bash(`SVC_BASE_URL=${await addressOfNobody()} svc audits count`);
  expect(code).toBe(9);
  expect(stderr.split('\n')).toEqual([
    ...Array(4).fill(
      expect.stringMatching(
        /^svc: http:\/\/127\.0\.0\.1:\d+ could not be reached: .*[^.]\. Retrying in \d\.\d s\.$/,
      ),
    ),
    expect.stringMatching(/^svc: http:\/\/127\.0\.0\.1:\d+ could not be reached: .*[^.]\.$/),
    '',
  ]);
});

test.each(['version', '--version', '-v'])('svc %s prints the version', async (argument) => {
  expect(await bash(`svc ${argument}`)).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
});

test('the exit code identifies the kind of failure', async () => {
  expect(await bash('svc audits get aud_none')).toMatchObject({ code: 5, stdout: '' });
  expect(await bash('svc audits lst')).toMatchObject({ code: 2, stdout: '' });
  expect(await bash('SVC_API_KEY= svc audits list')).toMatchObject({ code: 3, stdout: '' });
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a waiting tail at once, with code 130', async (signal) => {
  const position = join(home, `position-${signal}`);
  const child = spawn(
    process.execPath,
    [MAIN, 'mentions', 'tail', '--after', 'start', '--position', position],
    { env },
  );
  let written = '';
  child.stdout.on('data', (chunk) => {
    written += String(chunk);
    if (written.includes(`"men_${MENTIONS - 1}"`)) child.kill(signal);
  });
  const { code, stderr } = await ended(child);
  expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
  expect(records(written)).toHaveLength(MENTIONS);
});

test('a key that is typed on a terminal is not shown there', async ({ skip }) => {
  if (!existsSync('/usr/bin/script')) skip('there is no script(1) to make a terminal');
  const login = `${process.execPath} ${MAIN} login --base-url ${address}`;
  const child = spawn('script', ['-qec', login, '/dev/null'], { env });
  child.stdout.on('data', (chunk) => {
    if (String(chunk).includes('API key')) child.stdin.write(`${token}\r`);
  });
  const { code, stdout } = await ended(child);
  expect(code).toBe(0);
  expect(stdout).toContain(`API key for ${address}:`);
  expect(stdout).toContain('the key works');
  expect(stdout).not.toContain(token.slice(10));
});

test('bash completes commands, options and their values', async () => {
  const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { stdout, stderr } = await bash(
      `eval "$(svc completion bash)"; COMP_WORDS=(svc ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _svc; echo "\${COMPREPLY[*]}"`,
    );
    expect(stderr).toBe('');
    return stdout.trim().split(' ');
  };
  expect(await complete('a')).toEqual(['audits', 'api-keys', 'audit-log']);
  expect(await complete('companies', '')).toEqual(['list', 'get', 'tail', 'create', 'update', 'delete']);
  expect(await complete('audits', 'list', '--s')).toEqual(['--sort']);
  expect(await complete('audits', 'list', '--sort', 'sc')).toEqual(['score-descending', 'score-ascending']);
  expect(await complete('content', 'tail', '--status', '')).toContain('in_review');
  expect(await complete('audit-log', 'list', '--kind', 'key')).toEqual(
    Object.keys(AUDIT_LOG_KINDS).filter((kind) => kind.startsWith('key')),
  );
  expect(await complete('completion', 'z')).toEqual(['zsh']);
  expect(await complete('audits', 'list', '--pro')).toEqual(['--profile']);
  expect(await complete('audits', 'list', '--fields', 'id,head')).toEqual(['id,headlineScore']);
  expect(await complete('listen', '--types', 'content.u')).toEqual(['content.updated']);
  expect(await complete('listen', '--types', 'a.b,company.cr')).toEqual(['a.b,company.created']);
});

test('fish completes commands, options and their values', async ({ skip }) => {
  if (!existsSync('/usr/bin/fish')) skip('there is no fish here');
  const complete = async (line: string): Promise<readonly string[]> => {
    const { stdout, stderr } = await bash(
      `svc completion fish > "${home}/svc.fish"; fish --no-config -c 'source "${home}/svc.fish"; complete -C "${line}"'`,
    );
    expect(stderr).toBe('');
    return stdout.split('\n').flatMap((offer) => (offer === '' ? [] : [offer.split('\t', 1)[0] ?? '']));
  };
  expect(await complete('svc aud')).toEqual(expect.arrayContaining(['audits', 'audit-log']));
  expect(await complete('svc companies del')).toEqual(['delete']);
  expect(await complete('svc audits list --so')).toEqual(['--sort']);
  expect(await complete('svc audits list --sort sco')).toEqual(['score-ascending', 'score-descending']);
  expect(await complete('svc listen --types a.b,company.cr')).toEqual(['a.b,company.created']);
});

test('zsh completes commands, options and their values', async ({ skip }) => {
  if (!existsSync('/usr/bin/zsh')) skip('there is no zsh here');
  // zsh offers what _describe receives. _describe works only on a terminal, so the test replaces it.
  const offered = `compdef() { : }; _describe() { print -rl -- "\${(@P)2}" }`;
  const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { stdout, stderr } = await bash(
      `svc completion zsh > "${home}/_svc"; zsh -f -c '${offered}; source "${home}/_svc"; words=(svc ${words.map((word) => `"${word}"`).join(' ')}); CURRENT=${words.length + 1}; _svc'`,
    );
    expect(stderr).toBe('');
    return stdout.trim().split('\n');
  };
  expect(await complete('')).toContainEqual(expect.stringMatching(/^login:/));
  expect((await complete('companies', '')).map((offer) => offer.split(':')[0])).toEqual([
    ...['list', 'get', 'tail', 'create', 'update', 'delete'],
  ]);
  expect(await complete('audits', 'list', '')).toContainEqual(expect.stringMatching(/^--sort:/));
  expect(await complete('audits', 'list', '--sort', '')).toContain('score-descending');
  expect(await complete('completion', '')).toContain('fish');
});

test.each(['zsh', 'fish'])('the script for %s is valid in that shell', async (shell) => {
  const { code, stdout, stderr } = await bash(`svc completion ${shell}`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const word of ['api-keys', '--sort', 'score-descending', 'in_review']) {
    expect(stdout).toContain(word.replace(/^--/, ''));
  }
  // Where the shell is installed, it also reads the script.
  const checked = await bash(
    `command -v ${shell} > /dev/null || exit 0; svc completion ${shell} | ${shell} -n /dev/stdin`,
  );
  expect(checked).toEqual({ code: 0, stdout: '', stderr: '' });
});
