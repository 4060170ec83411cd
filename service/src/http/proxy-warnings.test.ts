import Fastify from 'fastify';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { warnOfProxyMistakes } from './proxy-warnings.ts';

test('requests through a proxy that is not trusted ask at most once a minute whether to warn', async () => {
  const app = Fastify();
  let [now, asked] = [0, 0];
  warnOfProxyMistakes(app, {
    trust: () => false,
    registry: new Registry(),
    log: app.log,
    clock: () => now,
    isDue: async () => ++asked === 1,
  });
  app.get('/', async () => 'ok');
  const send = () => app.inject({ url: '/', headers: { 'x-forwarded-for': '203.0.113.7' } });
  await Promise.all([send(), send(), send()]);
  expect(asked).toBe(1);
  now = 60_000;
  await Promise.all([send(), send(), send()]);
  expect(asked).toBe(2);
});
