import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { ApiError } from './errors.ts';
import { toApiError } from './failures.ts';

const withCode = (code: string, more: object = {}) => Object.assign(new Error('inside'), { code, ...more });
const databaseError = (code: string) => Object.assign(new pg.DatabaseError('inside', 0, 'error'), { code });

describe('toApiError', () => {
  test('returns an ApiError unchanged', () => {
    const failure = new ApiError('not_found', 'There is no such path.');
    expect(toApiError(failure)).toBe(failure);
  });

  test.each([
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported_media_type'],
    ['FST_ERR_CTP_BODY_TOO_LARGE', 'payload_too_large'],
    ['FST_ERR_CTP_EMPTY_JSON_BODY', 'invalid_body'],
    ['FST_ERR_CTP_INVALID_JSON_BODY', 'invalid_body'],
    ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'invalid_request'],
  ])("Fastify's %s is the client's doing: %s", (code, expected) => {
    expect(toApiError(withCode(code))?.code).toBe(expected);
  });

  test("any other failure of Fastify's with status 400 is an invalid request, without its text", () => {
    const failure = toApiError(withCode('FST_ERR_OF_TOMORROW', { statusCode: 400 }));
    expect(failure).toMatchObject({ code: 'invalid_request', message: 'The request is not valid.' });
  });

  const away: readonly (readonly [string, Error])[] = [
    ['refused connection', withCode('ECONNREFUSED')],
    ['missing socket', withCode('ENOENT')],
    ['reset connection', withCode('ECONNRESET')],
    ['refused on every address', new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')])],
    ['no connection in time', new Error('timeout exceeded when trying to connect')],
    ['connection lost', new Error('Connection terminated unexpectedly')],
    ['connection lost earlier', new Error('Client has encountered a connection error and is not queryable')],
    ['too many connections', databaseError('53300')],
    ['disk full', databaseError('53100')],
    ['server stops', databaseError('57P01')],
    ['server starts', databaseError('57P03')],
    ['statement timeout', databaseError('57014')],
    ['deadlock', databaseError('40P01')],
    ['no such database', Object.assign(databaseError('3D000'), { severity: 'FATAL' })],
    ['a read-only standby', databaseError('25006')],
  ];
  test.each(away)('the database is away: %s', (_, error) => {
    expect(toApiError(error)).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '1' } });
  });

  test.each([
    ['wrong SQL', databaseError('42601')],
    ['a broken constraint', databaseError('23505')],
    ['a bug', new TypeError('x is not a function')],
    ['an error without a code', new Error('unexpected')],
    ['what is no error', 'text'],
    ['nothing', undefined],
    ["Fastify's own bug", withCode('FST_ERR_REP_INVALID_PAYLOAD_TYPE', { statusCode: 500 })],
  ])('what is inside is no failure that a client is told of: %s', (_, error) => {
    expect(toApiError(error)).toBeUndefined();
  });
});
