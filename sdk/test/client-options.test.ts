import { Svc, SvcError } from '@svc/sdk';
import { describe, expect, test } from 'vitest';

const KEY = `svc_test_${'k'.repeat(32)}`;

describe('a client', () => {
  const create = (options: unknown): Svc => new Svc(options as ConstructorParameters<typeof Svc>[0]);

  test.each([
    [{ baseURL: 'https://svc.example.com' }, 'There is no option "baseURL". Did you mean "baseUrl"?'],
    [{ maxRetries: 3 }, 'There is no option "maxRetries". The options are apiKey, baseUrl, fetch,'],
    [{ apikey: 'x' }, 'There is no option "apikey". Did you mean "apiKey"?'],
    [{ apiKey: null }, '"apiKey" must be a string or a function that returns one.'],
    [{ logLevel: 'loud' }, '"logLevel" must be one of off, error, warn, info, debug, not "loud".'],
    [{ logger: { info: () => undefined } }, '"logger" must have the methods error, warn, info, debug'],
    [{ defaultHeaders: 'x' }, '"headers" must be an object'],
    [{ defaultHeaders: { Authorization: 'Basic x' } }, 'The header "authorization" cannot be set here'],
    [{ defaultHeaders: { 'Idempotency-Key': 'x' } }, 'The header "idempotency-key" cannot be set here'],
    [
      { fetchOptions: { redirect: 'follow' } },
      '"fetchOptions" must not have "redirect": the client sets it.',
    ],
    [{ fetchOptions: null }, 'The options must be an object, not null.'],
    [{ baseUrl: null }, 'baseUrl is not a URL'],
    [{ fetch: {} }, '"fetch" must be a function'],
    [{ onRetry: true }, '"onRetry" must be a function, not true.'],
    [{ userAgent: 7 }, '"userAgent" must be a string, not 7.'],
    [null, 'The options must be an object, not null.'],
  ])('refuses unknown options and options with an invalid value: %o', (options, message) => {
    const given = options === null || 'apiKey' in options ? options : { apiKey: KEY, ...options };
    expect(() => create(given)).toThrow(SvcError);
    expect(() => create(given)).toThrow(message);
  });

  test('does not show a key that is passed instead of the options', () => {
    expect(() => create(KEY)).toThrow('The options must be an object, not string.');
    expect(() => create(KEY)).not.toThrow(KEY);
  });
});
