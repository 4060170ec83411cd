import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { Webhook } from 'standardwebhooks';
import { beforeAll, expect, test } from 'vitest';
import { type CliOptions, cli } from './cli.ts';

const secretOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const SECRET = secretOf(1);
const EVENT = {
  type: 'content.updated',
  timestamp: '2026-03-01T09:30:00Z',
  data: { id: 'chg_1', title: 'Zürich' },
};
const BODY = JSON.stringify(EVENT);
const NOW = Date.parse(EVENT.timestamp);

const env = { SVC_WEBHOOK_SECRET: SECRET };
let directory: string;
beforeAll(async () => {
  directory = await temporaryDirectory();
});

const headers = (nowMs = NOW): readonly string[] => [
  '-H',
  'webhook-id: chg_1',
  '--header',
  `Webhook-Timestamp: ${nowMs / 1000}`,
  '-H',
  `webhook-signature:${new Webhook(SECRET).sign('chg_1', new Date(nowMs), BODY)}`,
];

const verify = (args: readonly string[], options: CliOptions = {}) =>
  cli(['webhooks', 'verify', ...args], { env, stdin: BODY, now: () => NOW, ...options });

test('a webhook from standard input or a file is verified and printed', async () => {
  const file = join(directory, 'hook.json');
  await writeFile(file, BODY);
  const done = { code: 0, stdout: `${BODY}\n`, stderr: '' };
  expect(await verify(headers())).toEqual(done);
  expect(await verify([...headers(), '--body', '-'])).toEqual(done);
  expect(await verify([...headers(), '--body', file], { stdin: '' })).toEqual(done);
});

test('the secret comes from a file, or from the environment', async () => {
  const file = join(directory, 'secrets');
  await writeFile(file, `${secretOf(2)}\n${SECRET}\n`);
  expect(await verify([...headers(), '--secret-file', file], { env: {} })).toMatchObject({
    code: 0,
    stderr: '',
  });
  const both = { SVC_WEBHOOK_SECRET: `${secretOf(2)} ${SECRET}` };
  expect(await verify(headers(), { env: both })).toMatchObject({ code: 0, stderr: '' });
  const missing = await verify(headers(), { env: {} });
  expect(missing).toEqual({
    code: 2,
    stdout: '',
    stderr: 'svc: There is no secret. Set SVC_WEBHOOK_SECRET or use --secret-file.\n',
  });
});

test('a secret on the command line is refused and not repeated', async () => {
  for (const args of [[SECRET], ['--secret-file', SECRET], [`--secret=${SECRET}`]]) {
    const { code, stdout, stderr } = await verify([...headers(), ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('must not be an argument');
    expect(stderr).not.toContain('whsec_');
  }
});

test('a webhook that is not valid ends with exit code 1 and the reason', async () => {
  expect(await verify(headers(), { env: { SVC_WEBHOOK_SECRET: secretOf(2) } })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'svc: No signature of the webhook fits the secret and the body.\n',
  });
  expect(await verify(headers().slice(2))).toMatchObject({
    code: 1,
    stderr: 'svc: The webhook has no header webhook-id.\n',
  });
});

test('an old webhook is refused unless any age is accepted', async () => {
  const old = headers(NOW - 3_600_000);
  expect(await verify(old)).toMatchObject({ code: 1, stderr: expect.stringContaining('3600 seconds old') });
  expect(await verify([...old, '--any-age'])).toMatchObject({ code: 0, stdout: `${BODY}\n` });
});

test('a malformed header and a file that is not there are named', async () => {
  expect(await verify(['-H', 'webhook-id'])).toMatchObject({
    code: 2,
    stderr: 'svc: "webhook-id" is not NAME:VALUE.\n',
  });
  const missing = join(directory, 'missing');
  expect(await verify([...headers(), '--body', missing])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${missing} cannot be read`),
  });
});
