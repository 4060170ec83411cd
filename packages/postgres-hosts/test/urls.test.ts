import pg from 'pg';
import { expect, test } from 'vitest';
import { HostsError, isThisMachine, splitHosts, urlAt } from '../src/index.ts';

/** What pg makes of each URL. */
const readOf = (url: string) =>
  splitHosts(url).map((one) => {
    const { host, port, user, password, database, ssl } = new pg.Client({ connectionString: one });
    return { host, port, user, password, database, ssl };
  });
const at = (host: string, port: number) => ({
  host,
  port,
  user: 'svc',
  password: 'p,w',
  database: 'svc',
  ssl: false,
});

test.each([
  ['postgres://svc:p,w@a:5432,b:5433/svc', [at('a', 5432), at('b', 5433)]],
  [
    'postgres://svc:p,w@a,b,c:6000/svc?target_session_attrs=read-write',
    [at('a', 5432), at('b', 5432), at('c', 6000)],
  ],
  ['postgresql://svc:p,w@[::1]:6000,[fe80::2]/svc', [at('::1', 6000), at('fe80::2', 5432)]],
  ['postgres://svc:p,w@/svc?host=a,b&port=6000', [at('a', 6000), at('b', 6000)]],
  [
    'postgres://svc:p,w@/svc?host=a,b&port=6000,6001&target_session_attrs=primary',
    [at('a', 6000), at('b', 6001)],
  ],
  ['postgres://svc:p,w@/svc?host=::1,%2Frun%2Fpg', [at('::1', 5432), at('/run/pg', 5432)]],
  ['postgres://svc:p,w@x:6000/svc?host=a,b', [at('a', 6000), at('b', 6000)]],
  ['postgres://svc:p,w@a,b/svc?port=6000', [at('a', 6000), at('b', 6000)]],
  ['postgres://svc:p,w@a:1,b:2/svc?port=6000,6001', [at('a', 6000), at('b', 6001)]],
  ['postgres://svc:p,w@a,b,a/svc', [at('a', 5432), at('b', 5432)]],
])('%s has these hosts', (url, hosts) => {
  expect(readOf(url)).toEqual(hosts);
});

test.each([
  'postgres://svc:p,w@a/svc',
  'postgres://a:5432/svc?application_name=a,b&options=-c%20search_path%3Da,b',
  'postgres:///svc',
  'postgres://u@/svc?host=/run/postgresql&port=6000',
  'mysql://a/b',
  'no url',
])('%s has one host, and stays as it is', (url) => {
  expect(splitHosts(url)).toEqual([url]);
});

test('other parameters apply to each host', () => {
  const urls = splitHosts('postgres://a,b/svc?sslmode=verify-full&options=-c%20x.y%3D1');
  expect(urls).toEqual([
    'postgres:///svc?host=a&sslmode=verify-full&options=-c%20x.y%3D1',
    'postgres:///svc?host=b&sslmode=verify-full&options=-c%20x.y%3D1',
  ]);
});

test.each([
  ['postgres://hunter2@a,,b/svc', /a host before and after each comma/],
  ['postgres://hunter2@a,/svc', /a host before and after each comma/],
  ['postgres://hunter2@a:1,b:x/svc', /ports from 1 to 65535/],
  ['postgres://hunter2@a:1,b:65536/svc', /ports from 1 to 65535/],
  ['postgres://hunter2@a:1,b:0/svc', /ports from 1 to 65535/],
  ['postgres://hunter2@/svc?host=a,b&port=1,2,3', /one port, or as many ports as hosts/],
  ['postgres://hunter2@a,b/svc?port=1,2,3', /one port, or as many ports as hosts/],
  ['postgres://hunter2@fe80::1:5432:x,b/svc', /an IPv6 address needs brackets/],
  ['postgres://hunter2@[::1,b/svc', /an IPv6 address needs brackets/],
  ['postgres://hunter2@a%zz,b/svc', /only before two hexadecimal digits/],
  ['postgres://hunter2@a b,c/svc', /names or addresses as hosts/],
  [`postgres://hunter2@${Array.from({ length: 11 }, (_, i) => `h${i}`)}/svc`, /at most 10 hosts/],
  ['postgres://hunter2@a,b/svc?target_session_attrs=any', /target_session_attrs=read-write/],
  ['postgres://hunter2@a/svc?target_session_attrs=prefer-standby', /target_session_attrs=read-write/],
])('%s is refused with a reason that contains nothing of the URL', (url, reason) => {
  expect(() => splitHosts(url)).toThrow(HostsError);
  expect(() => splitHosts(url)).toThrow(reason);
  expect(() => splitHosts(url)).not.toThrow(/hunter2/);
});

test.each([
  ['postgres://svc:p%40ss@db0:5432/svc', 'postgres://svc:p%40ss@/svc?host=db1&port=6432'],
  ['postgres://svc@/svc?host=/run/postgresql&port=5433', 'postgres://svc@/svc?host=db1&port=6432'],
  [
    'postgres://svc@db0/svc?sslmode=verify-full&options=-c%20x.y%3D1',
    'postgres://svc@/svc?host=db1&sslmode=verify-full&options=-c%20x.y%3D1&port=6432',
  ],
])('%s leads to another server with the same user, database and parameters', (url, expected) => {
  expect(urlAt(url, { host: 'db1', port: '6432' })).toBe(expected);
});

test('names and addresses of the machine itself', () => {
  const hosts = ['localhost', '127.0.0.1', '127.0.1.1', '::1', '/run/postgresql'];
  expect(hosts.filter(isThisMachine)).toEqual(hosts);
  expect(['db0', '10.127.0.1', 'localhost.example'].filter(isThisMachine)).toEqual([]);
});
