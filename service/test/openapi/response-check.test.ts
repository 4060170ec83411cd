import { expect, test } from 'vitest';
import { assertDocumented, type CheckedAnswer } from './response-check.ts';

const AUDIT = {
  id: 'aud_1',
  companyId: 'com_1',
  headlineScore: 74,
  completedAt: '2026-03-01T09:30:00.123456Z',
};
const PAGINATION = { nextCursor: null, hasMore: false, startCursor: 'AQ', endCursor: 'AQ' };

const answer = (status: number, body: unknown, headers: CheckedAnswer['headers'] = {}): CheckedAnswer => ({
  status,
  headers: { 'request-id': 'req_1', 'content-type': 'application/json; charset=utf-8', ...headers },
  text: body === undefined ? '' : JSON.stringify(body),
});
const created = (headers: CheckedAnswer['headers']): CheckedAnswer =>
  answer(201, AUDIT, { etag: '"x"', ...headers });
const page = (item: object, pagination: object = PAGINATION): CheckedAnswer =>
  answer(200, { data: [item], pagination }, { etag: 'W/"x"' });
const failure = (status: number, code: string, headers: CheckedAnswer['headers'] = {}): CheckedAnswer =>
  answer(status, { error: { code, message: 'm' } }, headers);

test.each([
  ['a page', 'GET', '/v1/audits?limit=1', page(AUDIT)],
  ['a record', 'GET', '/v1/audits/aud_1', answer(200, AUDIT, { etag: '"x"' })],
  [
    'a count, which is not a record',
    'GET',
    '/v1/audits/count',
    answer(200, { count: 1, approximate: false }),
  ],
  ['a response to HEAD without a body', 'HEAD', '/v1/audits', answer(200, undefined, { etag: '"x"' })],
  ['not modified', 'GET', '/v1/audits', answer(304, undefined, { etag: '"x"' })],
  ['a failure', 'GET', '/v1/audits', failure(400, 'cursor_expired')],
  ['a failure of a path that does not exist', 'GET', '/v1/nothing', failure(404, 'not_found')],
  ['a failure of a method that does not exist', 'PUT', '/v1/audits', failure(405, 'method_not_allowed')],
  ['a new record', 'POST', '/v1/audits', created({ location: '/v1/audits/aud_1' })],
  ['a dry run', 'POST', '/v1/audits', created({ location: '/v1/audits/aud_1', 'dry-run': 'true' })],
  ['a batch, which is not a record', 'POST', '/v1/audits/batch', answer(201, { data: [AUDIT] })],
  ['a deleted record', 'DELETE', '/v1/companies/com_1', answer(204, undefined)],
  ['a refused transition', 'PATCH', '/v1/content/con_1', failure(409, 'invalid_transition')],
  ['any response of another path', 'GET', '/healthz', answer(200, { status: 'ok' })],
])('%s passes', (_, method, url, documented) => {
  expect(() => assertDocumented(method, url, documented)).not.toThrow();
});

test.each([
  [
    'a field that is not documented',
    page({ ...AUDIT, score: 1 }),
    '/data/0 must NOT have additional properties',
  ],
  ['a missing field', page({ id: 'aud_1' }), "/data/0 must have required property 'companyId'"],
  ['a value out of range', page({ ...AUDIT, headlineScore: 101 }), '/data/0/headlineScore must be <= 100'],
  ['a time that is not a time', page({ ...AUDIT, completedAt: 'now' }), 'must match format "date-time"'],
  ['a total on a list without one', page(AUDIT, { ...PAGINATION, total: 1 }), '/pagination must NOT have'],
  ['a missing header', answer(200, { data: [], pagination: PAGINATION }), 'the header ETag is missing'],
  [
    'a header of another format',
    failure(401, 'invalid_key', { 'www-authenticate': 'Basic' }),
    'must match pattern',
  ],
  [
    'a Retry-After that is not a number',
    failure(503, 'unavailable', { 'retry-after': 'soon' }),
    'Retry-After must be integer',
  ],
  [
    'a code that is not possible here',
    failure(400, 'invalid_body'),
    'the code invalid_body is not possible here',
  ],
  ['a status that is not documented', failure(409, 'conflict'), 'listAudits has no response 409'],
  ['a body where there is none', answer(304, {}, { etag: '"x"' }), 'there must be no body'],
  ['another content type', answer(400, '', { 'content-type': 'text/html' }), 'the content type is text/html'],
])('%s fails', (_, undocumented, violation) => {
  expect(() => assertDocumented('GET', '/v1/audits', undocumented)).toThrow(violation);
});

test.each([
  ['a new record without its Location', 'POST', '/v1/audits', created({}), 'the header Location is missing'],
  [
    'a dry run with the value false',
    'POST',
    '/v1/audits',
    created({ location: '/v1/audits/a', 'dry-run': 'false' }),
    'the header Dry-Run must be equal to constant',
  ],
  [
    'a new record with status 200',
    'POST',
    '/v1/audits',
    answer(200, AUDIT),
    'createAudit has no response 200',
  ],
  [
    'a conflict where none is documented',
    'PATCH',
    '/v1/mentions/m',
    failure(409, 'conflict'),
    'has no response 409',
  ],
  ['a change of an immutable record', 'PATCH', '/v1/audits/a', answer(200, AUDIT), 'no such path or method'],
  ['a body of a deleted record', 'DELETE', '/v1/content/c', answer(204, {}), 'there must be no body'],
])('%s fails', (_, method, url, undocumented, violation) => {
  expect(() => assertDocumented(method, url, undocumented)).toThrow(violation);
});

test('a path or method that the document does not have can only fail, with the status of its code', () => {
  for (const [method, url] of [
    ['GET', '/v1/nothing'],
    ['DELETE', '/v1/audits'],
  ] as const) {
    expect(() => assertDocumented(method, url, answer(200, {}))).toThrow('has no such path or method');
    expect(() => assertDocumented(method, url, failure(400, 'not_found'))).toThrow(
      'does not have the status 400',
    );
  }
});
