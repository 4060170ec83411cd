import { inspect } from 'node:util';
import { type Fetch, Svc, SvcError } from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { clientOf } from './client.ts';

const service = await createTestService();
const workspaceId = await service.workspace();
const token = await service.token(workspaceId, { mode: 'test' });

describe('the settings', () => {
  test('come from the environment if they are left out', () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('SVC_API_KEY', `svc_live_${'k'.repeat(32)}`);
    expect(new Svc().mode).toBe('live');
    vi.stubEnv('SVC_API_KEY', '');
    expect(() => new Svc()).toThrow('There is no API key. Pass `apiKey` or set SVC_API_KEY.');
  });

  test.each([
    ['svc.example.com', 'baseUrl is not a URL. Use an address such as https://svc.example.com.'],
    ['127.0.0.1:25490', 'baseUrl is not a URL. Use an address such as http://127.0.0.1:25490.'],
    ['localhost:8080/', 'must begin with http:// or https://. Use an address such as http://localhost:8080.'],
    [
      'svc-1.test:8443',
      'must begin with http:// or https://. Use an address such as https://svc-1.test:8443.',
    ],
    ['user:secret@10.0.0.1:80', 'Use an address such as https://svc.example.com.'],
    [`svc_live_${'k'.repeat(32)}`, 'baseUrl is not a URL. Use an address such as https://svc.example.com.'],
    ['ftp://svc.example.com', 'must begin with http:// or https://'],
    ['https://user:secret@svc.example.com', 'must not contain a user name or password'],
    ['https://:secret@svc.example.com', 'must not contain a user name or password'],
    ['https://svc.example.com?x=1', 'must not have a query string or a fragment'],
  ])('an invalid address is refused: %s', (baseUrl, message) => {
    expect(() => new Svc({ apiKey: token, baseUrl })).toThrow(SvcError);
    expect(() => new Svc({ apiKey: token, baseUrl })).toThrow(message);
    expect(() => new Svc({ apiKey: token, baseUrl })).not.toThrow(/secret|kkk/);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('SVC_BASE_URL', baseUrl);
    expect(() => new Svc({ apiKey: token })).toThrow(message.replace('baseUrl', 'SVC_BASE_URL'));
  });

  test.each([
    [{ timeoutMs: 0 }, '"timeoutMs" must be a number of at least 1, not 0.'],
    [{ timeoutMs: Number.NaN }, '"timeoutMs" must be a number of at least 1, not NaN.'],
    [{ retries: -1 }, '"retries" must be a whole number of at least 0, not -1.'],
    [{ retries: 1.5 }, '"retries" must be a whole number of at least 0, not 1.5.'],
    [{ retries: Number.NaN }, '"retries" must be a whole number of at least 0, not NaN.'],
  ])(
    'an invalid number is refused, as an option of the client and of a call: %o',
    async (options, message) => {
      expect(() => new Svc({ apiKey: token, ...options })).toThrow(new SvcError(message));
      const svc = new Svc({ apiKey: token, baseUrl: 'http://127.0.0.1:1' });
      await expect(svc.companies.list(options)).rejects.toThrow(new SvcError(message));
    },
  );

  test('an invalid pause, maximum or batch size is refused', async () => {
    const svc = new Svc({ apiKey: token, baseUrl: 'http://127.0.0.1:1' });
    // A timer of more than 24 days fires at once, so the tail would poll without a pause.
    expect(() => svc.audits.tail({ pollMs: Number.POSITIVE_INFINITY })).toThrow('"pollMs" must be');
    expect(() => svc.audits.tail({ pollMs: 0 })).toThrow('"pollMs" must be');
    await expect(svc.audits.list().toArray({ max: 2.5 })).rejects.toThrow('"max" must be');
    await expect(svc.companies.createMany([{ name: 'A' }], { batchSize: 1_001 })).rejects.toThrow(
      '"batchSize" must be a whole number from 1 to 1000, not 1001.',
    );
  });

  test.each(['https://svc.example.com', 'https://svc.example.com/', 'https://svc.example.com/v1/'])(
    'an address may end with a slash or the version: %s',
    async (baseUrl) => {
      const urls: string[] = [];
      const fetch: Fetch = async (url) => {
        urls.push(url);
        return { status: 204, headers: { get: () => null }, text: async () => '' };
      };
      await new Svc({ apiKey: token, baseUrl, fetch }).request('GET', '/v1/audits');
      expect(urls).toEqual(['https://svc.example.com/v1/audits']);
    },
  );

  test('the error for a malformed key does not show the key', () => {
    const secret = 'svc_live_tooshort';
    expect(() => new Svc({ apiKey: secret })).toThrow('The API key is malformed');
    expect(() => new Svc({ apiKey: secret })).not.toThrow(secret);
  });

  test('neither the printed or serialised client nor its errors contain the key', async () => {
    const svc = new Svc({ apiKey: token, baseUrl: 'http://127.0.0.1:1', retries: 0 });
    expect(inspect(svc, { depth: 10, showHidden: true })).not.toContain(token);
    expect(JSON.stringify(svc)).not.toContain(token);
    const error = await Promise.resolve(svc.companies.list()).catch((reason: unknown) => reason);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(token);
  });

  test('the requests name the version of the client', async () => {
    const live = await service.token(workspaceId);
    await clientOf(service.app, live, { userAgent: 'crawler/2.1' }).companies.list();
    const [entry] = (await clientOf(service.app, token).auditLog.list({ kind: 'api.request', limit: 1 }))
      .data;
    expect(entry?.userAgent).toMatch(/^crawler\/2\.1 svc-sdk\/\d+\.\d+\.\d+$/);
  });
});
