import { expect, test } from 'vitest';
import { takeOptions } from '../src/index.ts';

test.each([
  ['postgres://u:p@h/d', 'postgres://u:p@h/d', ''],
  ['postgres://u:p@h/d?options=-c%20a%3Db', 'postgres://u:p@h/d', '-c a=b'],
  [
    'postgres://u:p@h/d?sslmode=require&options=-c+a%3Db&x=%2F',
    'postgres://u:p@h/d?sslmode=require&x=%2F',
    '-c a=b',
  ],
  [
    'postgres://u@/d?host=/run/pg&options=-c a=b&options=-c c=d',
    'postgres://u@/d?host=/run/pg',
    '-c a=b -c c=d',
  ],
  ['postgres://h/d?statement_timeout=0&query_timeout=1&lock_timeout=1', 'postgres://h/d', ''],
  ['postgres://h/d?application_name=x#f', 'postgres://h/d?application_name=x#f', ''],
])('%s is %s with the options "%s"', (databaseUrl, url, options) => {
  expect(takeOptions(databaseUrl)).toEqual({ url, options });
});
