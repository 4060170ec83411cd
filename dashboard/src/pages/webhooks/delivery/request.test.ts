import { expect, test } from 'vitest';
import { formatJson, recordOf } from './request.ts';

test('the body is indented, and other text stays as it is', () => {
  expect(formatJson('{"type":"company.created","data":{"n":1}}')).toBe(
    '{\n  "type": "company.created",\n  "data": {\n    "n": 1\n  }\n}',
  );
  expect(formatJson('{"type":')).toBe('{"type":');
});

test('the body names the record of its event', () => {
  const body = { type: 'company.created', data: { resource: 'companies', recordId: 'com_a', record: null } };
  expect(recordOf(JSON.stringify(body))).toEqual({ resource: 'companies', recordId: 'com_a' });
});

test.each(['', 'null', '[]', '{}', '{"data":null}', '{"data":{"resource":"companies","recordId":7}}'])(
  'the body %s names no record',
  (text) => {
    expect(recordOf(text)).toBeUndefined();
  },
);
