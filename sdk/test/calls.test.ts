import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Svc, SvcNetworkError, type SvcOptions, SvcTimeoutError } from '@svc/sdk';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { createTestService } from '@svc/service/harness/service.ts';
import { addressOfNobody } from '@svc/service/harness/socket.ts';
import { describe, expect, test } from 'vitest';
import { countedSignal, fetchOf } from './client.ts';
import { failing, type Observed, observe } from './faults.ts';

const service = await createTestService();
const workspaceId = await service.workspace();
const token = await service.token(workspaceId, { mode: 'test' });
const fetchApp = fetchOf(service.app);
const observed = (options?: SvcOptions, apiKey = token): Observed => observe(service, apiKey, options);

/** A server that accepts requests and never responds. */
async function silentServer(): Promise<string> {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onFileEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a call', () => {
  test('without a response in time throws SvcTimeoutError, which is not an SvcNetworkError', async () => {
    const svc = new Svc({ apiKey: token, baseUrl: await silentServer(), timeoutMs: 20, retries: 0 });
    await expect(svc.companies.list()).rejects.toThrow(SvcTimeoutError);
    await expect(svc.companies.list()).rejects.not.toThrow(SvcNetworkError);
    await expect(svc.companies.list({ timeoutMs: 10 })).rejects.toThrow('No response within 10 ms.');
  });

  test('throws the reason of its signal, before it is sent, while it is under way and during a pause', async () => {
    const reason = new Error('changed my mind');
    const { svc } = observed();
    await expect(svc.companies.list({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

    const silent = new Svc({ apiKey: token, baseUrl: await silentServer() });
    const underWay = new AbortController();
    const answer = silent.companies.get('com_a', { signal: underWay.signal });
    underWay.abort(reason);
    await expect(answer).rejects.toBe(reason);

    const pausing = new AbortController();
    const refused = new Svc({
      apiKey: token,
      baseUrl: await addressOfNobody(),
      retries: Number.POSITIVE_INFINITY,
      onRetry: () => queueMicrotask(() => pausing.abort(reason)),
    });
    await expect(refused.companies.get('com_a', { signal: pausing.signal })).rejects.toBe(reason);
  });

  test('ends when its signal is aborted, even if `fetch` ignores the signal', async () => {
    const controller = new AbortController();
    const { svc } = observed({ fetch: () => new Promise(() => undefined) });
    const answer = svc.companies.get('com_a', { signal: controller.signal });
    controller.abort();
    await expect(answer).rejects.toThrow(DOMException);
  });

  test('has no time limit if its timeout is longer than any timer', async () => {
    const { svc } = observed();
    await expect(svc.companies.list({ timeoutMs: Number.MAX_SAFE_INTEGER })).resolves.toBeDefined();
    await expect(svc.companies.list({ timeoutMs: Number.POSITIVE_INFINITY })).resolves.toBeDefined();
  });

  test('that `fetch` would refuse is refused at once, with a clear message and without a retry', async () => {
    const { svc, retries } = observed({ fetch: (url, init) => globalThis.fetch(url, init) });
    await expect(svc.request('GET', '/v1/audits', { body: {} })).rejects.toThrow(
      'A GET request has no body.',
    );
    await expect(svc.request('GET /', '/v1/audits')).rejects.toThrow('is not an HTTP method');
    const header = 'The header "idempotency-key" contains characters that are not allowed in a header.';
    await expect(svc.companies.create({ name: 'A' }, { idempotencyKey: 'ключ' })).rejects.toThrow(header);
    await expect(svc.companies.create({ name: 'A' }, { idempotencyKey: 'a\r\nb' })).rejects.toThrow(header);
    expect(retries).toEqual([]);
  });

  test('leaves no listener on its signal', async () => {
    const { signal, listeners } = countedSignal();
    const { svc } = observed({ fetch: failing(fetchApp, 2) });
    await svc.companies.list({ signal });
    expect(listeners()).toBe(0);
  });

  test('an iteration stops at once when its signal is aborted, even between two records of a page', async () => {
    const controller = new AbortController();
    const given: string[] = [];
    const iterate = async (): Promise<void> => {
      for await (const { id } of observed().svc.apiKeys.list({ signal: controller.signal })) {
        given.push(id);
        controller.abort();
      }
    };
    await service.token(workspaceId);
    await expect(iterate()).rejects.toThrow(DOMException);
    expect(given).toHaveLength(1);
  });
});
