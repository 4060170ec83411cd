import {
  SvcApiError,
  SvcInsufficientScopeError,
  SvcInvalidKeyError,
  SvcInvalidParameterError,
  SvcNotFoundError,
  type SvcOptions,
} from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { describe, expect, test } from 'vitest';
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
    await expect(svc.audits.list()).rejects.toThrow('Check that baseUrl is the address of svc');
  });

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
