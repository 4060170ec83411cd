import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { waitFor } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { PASSWORD, signIn } from '../harness/dashboard-http.ts';
import { bearer, connectEmbedded, startRunningService } from '../harness/running-service.ts';
import { findSecrets, secret } from '../harness/secrets.ts';

const KIB = 1024;

test('no key, cookie, hash or password is in any log line, error or metric, at the most talkative level', async () => {
  const { service, env, workspaceId, dashboard, key } = await startRunningService({
    SVC_LOG_LEVEL: 'trace',
    SVC_WORKERS: '2',
  });
  const { token } = key;
  const wrong = secret(`svc_live_${'w'.repeat(32)}`);
  const answers: string[] = [];
  const send = (
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
    body?: string,
  ): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = request(`${service.url}${path}`, { method, headers }, (answer) => {
        text(answer).then((answered) => {
          answers.push(`${JSON.stringify(answer.headers)}\n${answered}`);
          resolve();
        }, reject);
      });
      sent.once('error', reject);
      sent.end(body);
    });

  await send('/v1/audits', bearer(token));
  await send('/v1/audits', bearer(wrong));
  await send('/v1/audits', bearer(`${token}x`));
  await send(`/v1/audits?key=${token}`, bearer(token));
  await send(`/v1/audits/${token}`);
  await send(`/${token.replace('_', '%5f')}/nowhere`, bearer(token));
  await send('/v1/audits', { ...bearer(token), 'user-agent': token, 'request-id': token, referer: token });
  await send('/v1/audits', { ...bearer(token), 'x-padding': token.repeat((20 * KIB) / token.length) });
  await send(
    '/v1/companies',
    { ...bearer(token), 'content-type': 'application/json' },
    'POST',
    `{"name": "${token}`,
  );
  await send('/dashboard/api/me', { cookie: `svc.session_token=${secret('forged-session-token')}` });
  const login = JSON.stringify({ email: 'owner@example.com', password: secret('not the password at all') });
  const json = { 'content-type': 'application/json', origin: service.url };
  await send('/dashboard/api/auth/sign-in/email', json, 'POST', login);
  await send('/dashboard/api/auth/sign-in/email', json, 'POST', `{"password": "${PASSWORD}`);

  // Internal failures: broken connections, and a renamed column.
  const client = await connectEmbedded(env['SVC_DATA_DIR'] ?? '');
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
    'svcd requests',
  ]);
  await client.query('alter table api_keys rename column salt to pepper');
  await send('/v1/audits', bearer(wrong));
  await expect(dashboard.createKey(workspaceId)).rejects.toThrow(/50[03]/);
  await client.query('alter table api_keys rename column pepper to salt');
  await waitFor(async () => void (await signIn(service)));
  await send('/metrics');

  expect(answers.length).toBeGreaterThan(12);
  expect(answers.flatMap((answer) => findSecrets(answer))).toEqual([]);
  await service.stop();
  expect(findSecrets(service.stdout() + service.stderr())).toEqual([]);
  // The log does report these failures, so there was something to find.
  expect(service.stdout()).toMatch(/request failed/);
});
