import { describe, expect, test } from 'vitest';
import { isFiltered, logParams, logSearch } from './log-search.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const set = (values: object): object => JSON.parse(JSON.stringify(values)) as object;

describe('the filters in the URL', () => {
  test('are read, and invalid values are dropped', () => {
    const search = logSearch({
      range: '24h',
      kind: 'key.created',
      status: 404,
      method: 'GET',
      path: '/v1/audits*',
      person: 'ada@example.com',
      page: '2',
    });
    expect(set(search)).toEqual({
      range: '24h',
      kind: 'key.created',
      status: '404',
      method: 'GET',
      path: '/v1/audits*',
      person: 'ada@example.com',
    });
    expect(
      set(logSearch({ range: '2h', kind: 'key.eaten', status: '604', method: 'BREW', key: '' })),
    ).toEqual({});
    expect(set(logSearch({ status: 'constructor', from: 'yesterday', to: '2026-03-01T09:30:00' }))).toEqual(
      {},
    );
  });

  test.each(['failed', '2xx', '3xx', '4xx', '5xx', '404', '599'])('have the status %s', (status) => {
    expect(logSearch({ status }).status).toBe(status);
  });
});

describe('the parameters of the request', () => {
  test('count a relative range back from now, seven days by default', () => {
    expect(logParams({ range: '1h' }, NOW)).toMatchObject({ from: '2026-03-10T11:00:00.000Z' });
    expect(logParams({}, NOW)).toMatchObject({ from: '2026-03-03T12:00:00.000Z' });
    expect(set(logParams({ range: 'all' }, NOW))).toEqual({});
  });

  test('have a custom range in UTC', () => {
    const from = '2026-03-01T09:30';
    expect(set(logParams({ range: 'custom', from }, NOW))).toEqual({ from: new Date(from).toISOString() });
  });

  test.each([
    ['failed', 400, 599],
    ['5xx', 500, 599],
    ['404', 404, 404],
  ])('have bounds for the status %s', (status, statusMin, statusMax) => {
    expect(logParams({ status }, NOW)).toMatchObject({ statusMin, statusMax });
  });

  test('have a path, or a prefix if it ends with *', () => {
    const all = { range: 'all' } as const;
    expect(set(logParams({ ...all, path: '/v1/audits' }, NOW))).toEqual({ path: '/v1/audits' });
    expect(set(logParams({ ...all, path: '/v1/audits*' }, NOW))).toEqual({ pathPrefix: '/v1/audits' });
  });

  test('have the names that the service expects', () => {
    const search = { key: 'key_a', person: 'a@b.c', target: 'usr_a', address: '::1', request: 'req_a' };
    expect(set(logParams({ range: 'all', ...search }, NOW))).toEqual({
      keyId: 'key_a',
      actor: 'a@b.c',
      targetId: 'usr_a',
      ip: '::1',
      requestId: 'req_a',
    });
  });
});

test('the time range and the open entry do not count as filters', () => {
  expect(isFiltered({ range: 'custom', from: '2026-03-01T09:30', entry: 'log_a' })).toBe(false);
  expect(isFiltered({ range: '1h', status: '404' })).toBe(true);
});
