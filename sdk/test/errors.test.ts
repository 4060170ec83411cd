import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Svc,
  SvcApiError,
  SvcError,
  SvcInsufficientScopeError,
  SvcInvalidKeyError,
  SvcInvalidParameterError,
  SvcNetworkError,
  SvcNotFoundError,
  type SvcOptions,
} from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientOf } from './client.ts';
import { type Observed, observe, refusalOf } from './faults.ts';

const service = await createTestService();
const workspaceId = await service.workspace();
const token = await service.token(workspaceId, { mode: 'test' });
const observed = (options?: SvcOptions, apiKey = token): Observed => observe(service, apiKey, options);

describe('an error response of the service', () => {
  test('is thrown as the error class of its code, with status, request id and message', async () => {
    const { svc, retries } = observed();
    const error = await refusalOf(svc.audits.get('aud_none'));
    expect(error).toBeInstanceOf(SvcNotFoundError);
    expect(error).toMatchObject({ code: 'not_found', status: 404, message: 'There is no such audit.' });
    expect(error.requestId).toMatch(/^req_/);
    expect(retries).toEqual([]);
  });

  test('has its own class for each code', async () => {
    const { svc } = observed();
    await expect(svc.audits.list({ limit: 101 })).rejects.toThrow(SvcInvalidParameterError);
    const unknown = clientOf(service.app, `svc_live_${'x'.repeat(32)}`);
    await expect(unknown.companies.list()).rejects.toThrow(SvcInvalidKeyError);
    await service.pool.query(
      `insert into companies (workspace_id, id, name, created_at, doc) values ($1, 'com_a', 'A', now(), '{}')`,
      [workspaceId],
    );
    const limited = clientOf(service.app, await service.token(workspaceId, { companyId: 'com_a' }));
    await expect(limited.auditLog.list()).rejects.toThrow(SvcInsufficientScopeError);
  });

  test('without an envelope, such as that of a proxy, is a plain SvcApiError with its status', async () => {
    const { svc, pauses } = observed({
      fetch: async () => ({
        status: 404,
        headers: { get: () => null },
        text: async () => '<h1>Not here</h1>',
      }),
    });
    const error = await refusalOf(svc.audits.list());
    expect(error.constructor).toBe(SvcApiError);
    expect(error).toMatchObject({ code: 'unknown', status: 404, name: 'SvcApiError', requestId: undefined });
    expect(pauses).toEqual([]);
  });

  test('that is a redirect names its target, and is not followed', async () => {
    const { svc } = observed({
      fetch: async () => ({
        status: 301,
        headers: { get: () => 'https://elsewhere.test/' },
        text: async () => '',
      }),
    });
    await expect(svc.audits.list()).rejects.toThrow('redirected to https://elsewhere.test/');
  });

  test('a response that is not JSON says that the address may be wrong', async () => {
    const { svc } = observed({
      fetch: async () => ({ status: 200, headers: { get: () => null }, text: async () => '<html>' }),
    });
    await expect(svc.audits.list()).rejects.toMatchObject({
      message: 'The response is not JSON. Check that baseUrl is the address of svc.',
      request: { method: 'GET', path: '/v1/audits' },
      cause: expect.any(SyntaxError),
    });
  });

  test.each(['', 'null', '[]', '"aud_a"', '{}'])(
    'a call that gets another body than its own says the same, instead of returning it: %s',
    async (body) => {
      const { svc, retries } = observed({
        fetch: async () => ({ status: 200, headers: { get: () => null }, text: async () => body }),
      });
      const company = { name: 'Acme' };
      const batches = [
        svc.companies.createMany([company]),
        svc.companies.updateMany([{ id: 'com_a', ...company }]),
        svc.batch([{ method: 'POST', path: '/v1/companies', body: company }]),
      ];
      const objects = [
        svc.me(),
        svc.audits.count(),
        svc.audits.get('aud_a'),
        svc.companies.create(company),
        svc.companies.upsert('com_a', company),
        svc.companies.update('com_a', company),
      ];
      for (const call of body === '{}' ? batches : [...batches, ...objects]) {
        const error: unknown = await call.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).toBeInstanceOf(SvcError);
        expect(error).toMatchObject({
          message: expect.stringMatching(/^The response is not a .*Check that baseUrl is the address of svc/),
          request: { path: expect.stringMatching(/^\/v1\//) },
        });
      }
      await Promise.allSettled(objects);
      expect(retries).toEqual([]);
    },
  );

  test.each(['{}', '[]', 'null', '{"data":[]}', '{"data":{},"pagination":{}}'])(
    'a list that is other JSON says the same: %s',
    async (body) => {
      const { svc } = observed({
        fetch: async () => ({ status: 200, headers: { get: () => null }, text: async () => body }),
      });
      await expect(svc.audits.list()).rejects.toThrow('The response is not a list');
      await expect(svc.audits.list().toArray({ max: 1 })).rejects.toThrow(
        'Check that baseUrl is the address of svc',
      );
    },
  );
});

test('https at an address without TLS is a network error that says so, without the places in OpenSSL', async () => {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const svc = new Svc({ apiKey: token, baseUrl, retries: 0 });
  const error: unknown = await svc.audits.list().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SvcNetworkError);
  expect(error).toMatchObject({
    message: `${baseUrl} could not be reached: it does not respond with TLS. Its address may begin with http instead of https.`,
    cause: expect.any(TypeError),
  });
});
