import { LINE_MAX_BYTES } from '@svc/csv-lines';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { auditOf, idsIn, importText, workspaceWith, wrongCounts } from '../../test/harness/import.ts';

const { pool } = await createTestDatabase();

describe('every invalid line is refused with its number, field and reason, and the valid ones are imported', () => {
  const line = (fields: object): string => JSON.stringify(auditOf('x', fields));
  const kinds: readonly (readonly [line: string | Buffer, field: string, reason: RegExp])[] = [
    ['{', '', /is not JSON/],
    ['{"id":"x",}', '', /is not JSON/],
    ['nonsense', '', /is not JSON/],
    [line({}).replace('{', '{"id":"y",'), '', /a name twice in one object/],
    ['[]', '', /must be a JSON object/],
    ['null', '', /must be a JSON object/],
    ['"text"', '', /must be a JSON object/],
    [line({ headlineScore: undefined }), '/headlineScore', /is required/],
    [line({ headlineScore: null }), '/headlineScore', /must be an integer from 0 to 100/],
    [line({ headlineScore: 101 }), '/headlineScore', /from 0 to 100/],
    [line({ headlineScore: -1 }), '/headlineScore', /from 0 to 100/],
    [line({ headlineScore: 1.5 }), '/headlineScore', /an integer/],
    [line({ headlineScore: '50' }), '/headlineScore', /an integer/],
    [line({ completedAt: '2026-02-30T00:00:00Z' }), '/completedAt', /ISO 8601/],
    [line({ completedAt: '2026-03-01' }), '/completedAt', /ISO 8601/],
    [line({ completedAt: 1_700_000_000 }), '/completedAt', /ISO 8601/],
    [line({ score: 1 }), '/score', /not a field.*headlineScore/],
    [line({ 'a/b~c': 1 }), '/a~1b~0c', /not a field/],
    ['{"__proto__": {}, "id": "x"}', '/companyId', /is required/],
    [line({ toString: 1 }), '/toString', /not a field/],
    [line({ id: 'no spaces' }), '/id', /1 to 64/],
    [line({ id: '' }), '/id', /1 to 64/],
    [line({ id: 'x'.repeat(65) }), '/id', /1 to 64/],
    [line({ companyId: null }), '/companyId', /an id/],
    [line({ companyId: 'c2' }), '/companyId', /company of the workspace/],
    [line({ createdAt: '2999-01-01T00:00:00Z' }), '/createdAt', /past/],
    [line({ createdAt: 'yesterday' }), '/createdAt', /ISO 8601/],
    [line({ createdAt: null }), '/createdAt', /ISO 8601/],
    [`{"id":${'['.repeat(32)}${']'.repeat(32)}}`, '', /nested deeper than 32 levels/],
    [`{"id":[${'0,'.repeat(1_000)}0]}`, '', /more than 1000 values/],
    [`${' '.repeat(LINE_MAX_BYTES)}{}`, '', /longer than 1 MiB/],
    [Buffer.from([0x7b, 0xff, 0x7d]), '', /not UTF-8/],
  ];

  test.each([false, true])('in NDJSON (atomic: %s)', async (atomic) => {
    const ws = await workspaceWith(pool, 'c1');
    const good = (i: number): string => JSON.stringify(auditOf(`good${i}`));
    const parts = kinds.flatMap(([bad], i) => [good(i), '\n', bad, '\n']);
    const report = await importText(pool, ws, 'audits', parts, { atomic });
    expect(report.lines.map(({ line, failures }) => [line, failures[0]?.field, failures[0]?.reason])).toEqual(
      kinds.map(([, field, reason], i) => [i * 2 + 2, field, expect.stringMatching(reason)]),
    );
    expect(report.refused).toBe(kinds.length);
    expect(await idsIn(pool, ws)).toEqual(atomic ? [] : kinds.map((_, i) => `good${i}`));
    expect(await wrongCounts(pool, ws)).toEqual([]);
  });

  test('in CSV, by the line where the record starts', async () => {
    const ws = await workspaceWith(pool);
    const { inserted, lines } = await importText(
      pool,
      ws,
      'companies',
      [
        '\uFEFFname,id,createdAt\r\n',
        '"Acme, ""the"" one",a,\r\n',
        'too,many,cells,here\r\n',
        '"two\r\nlines",b,\r\n',
        ',c,\r\n',
        'a "quote" inside,d,\r\n',
        '"text"after,d,\r\n',
        '\r\n',
        'Bad,e,tomorrow\r\n',
        'few,f\r\n',
        '"never closed,g,\r\n',
        'Last,h,2020-01-01T00:00:00Z',
      ],
      { format: 'csv' },
    );
    expect(inserted).toBe(3);
    expect(await idsIn(pool, ws, 'companies')).toEqual(['h', 'a', 'b']);
    const { rows } = await pool.query('select id, name from companies where workspace_id = $1 order by id', [
      ws,
    ]);
    expect(rows).toEqual([
      { id: 'a', name: 'Acme, "the" one' },
      { id: 'b', name: 'two\r\nlines' },
      { id: 'h', name: 'Last' },
    ]);
    expect(lines.map(({ line, failures }) => [line, failures[0]?.field, failures[0]?.reason])).toEqual([
      [3, '', 'has 4 cells where the header has 3'],
      [6, '/name', 'is required'],
      [7, '', expect.stringMatching(/inside a cell/)],
      [8, '', expect.stringMatching(/after the closing quote/)],
      [10, '/createdAt', expect.stringMatching(/ISO 8601/)],
      [11, '', 'has 2 cells where the header has 3'],
      [12, '', expect.stringMatching(/not closed/)],
    ]);
    expect(lines[0]?.text).toBe('too,many,cells,here\r');
  });

  test.each([false, true])(
    'of a JSON array that was cut off between two items (atomic: %s)',
    async (atomic) => {
      const ws = await workspaceWith(pool);
      const parts = ['[{"id":"a","name":"A"},\n', '{"id":"b","name":"B"},'];
      const { refused, lines } = await importText(pool, ws, 'companies', parts, { atomic });
      expect(refused).toBe(1);
      expect(lines.map(({ line, failures }) => [line, failures])).toEqual([
        [3, [{ field: '', reason: 'is broken JSON: the array is not closed' }]],
      ]);
      expect((await idsIn(pool, ws, 'companies')).toSorted()).toEqual(atomic ? [] : ['a', 'b']);
    },
  );

  test('with all of its failures', async () => {
    const ws = await workspaceWith(pool);
    const { lines } = await importText(pool, ws, 'audits', '{"id":"?","headlineScore":500}');
    expect(lines[0]?.failures.map(({ field }) => field).sort()).toEqual([
      '/companyId',
      '/completedAt',
      '/headlineScore',
      '/id',
    ]);
  });

  test.each(['ndjson', 'csv'] as const)(
    'for a domain that is none, and for a blank name, in %s',
    async (format) => {
      const ws = await workspaceWith(pool);
      const rows = [
        ['a', 'Acme', 'acme.example'],
        ['b', '  ', ''],
        ['c', 'Cobalt', 'https://cobalt.example'],
      ];
      const csv = ['id,name,domain', ...rows.map((cells) => cells.join(','))];
      const ndjson = rows.map(([id, name, domain]) => JSON.stringify({ id, name, domain: domain || null }));
      const text = `${(format === 'csv' ? csv : ndjson).join('\n')}\n`;
      const { lines } = await importText(pool, ws, 'companies', text, { format });
      expect(lines.flatMap(({ failures }) => failures)).toEqual([
        { field: '/name', reason: expect.stringContaining('not blank') },
        { field: '/domain', reason: expect.stringContaining('a domain name, such as acme.example') },
      ]);
      expect(await idsIn(pool, ws, 'companies')).toEqual(['a']);
    },
  );

  test('for text that PostgreSQL or JSON cannot contain', async () => {
    const ws = await workspaceWith(pool);
    const { lines, inserted } = await importText(pool, ws, 'companies', [
      '{"id":"a","name":"nul \\u0000 inside"}\n{"id":"b","name":"half \\ud800 a pair"}\n',
      '{"id":"c","name":"\\ud83d\\ude80 \\u2028 \\\\N \\\\."}\n',
    ]);
    expect(lines.map(({ line, failures }) => [line, failures[0]?.field])).toEqual([
      [1, '/name'],
      [2, '/name'],
    ]);
    expect(inserted).toBe(1);
  });

  test('for numbers, addresses and choices of CSV', async () => {
    const ws = await workspaceWith(pool, 'c1');
    const header = 'companyId,headlineScore,completedAt\n';
    const scores = ['50', '050', '5e1', '50.0', '0x10', ' 50', '', '-1', '١', '9'.repeat(30)];
    const { lines, inserted } = await importText(
      pool,
      ws,
      'audits',
      header + scores.map((score) => `c1,${score},2026-01-01T00:00:00Z\n`).join(''),
      { format: 'csv' },
    );
    expect([inserted, lines.length]).toEqual([1, scores.length - 1]);
    const mention = (url: string, sentiment: string): string =>
      `c1,s,${url},t,,${sentiment},2026-01-01T00:00:00Z\n`;
    const mentions = await importText(
      pool,
      ws,
      'mentions',
      [
        'companyId,source,url,title,excerpt,sentiment,publishedAt\n',
        mention('https://example.com/a?b=c#d', 'positive'),
        mention('javascript:alert(1)', 'positive'),
        mention('example.com', 'positive'),
        mention('https://', 'positive'),
        mention('https://example.com', 'happy'),
      ],
      { format: 'csv' },
    );
    expect(mentions.inserted).toBe(1);
    expect(mentions.lines.map(({ failures }) => failures[0]?.field)).toEqual([
      '/url',
      '/url',
      '/url',
      '/sentiment',
    ]);
  });
});

describe('a CSV file that does not fit the resource is refused before anything is written', () => {
  test.each([
    ['', /empty/],
    ['\r\n\r\n', /empty/],
    ['id,name,colour\n', /unknown columns: "colour"; companies have id, name, domain, createdAt/],
    ['id,,name\n', /unknown columns: ""/],
    ['id,name,name\n', /repeats columns: "name"/],
    ['id,domain\n', /is missing columns: "name"/],
    ['"id,name\n', /line 1.*not closed/],
    ['{"id":"a","name":"A"}\n', /header row/],
  ])('%j', async (text, message) => {
    const ws = await workspaceWith(pool);
    const importing = importText(pool, ws, 'companies', `${text}`, { format: 'csv' });
    await expect(importing).rejects.toThrow(message);
    expect(await idsIn(pool, ws, 'companies')).toEqual([]);
  });

  test('with the plural of the resource', async () => {
    const ws = await workspaceWith(pool);
    await expect(importText(pool, ws, 'content', 'colour\n', { format: 'csv' })).rejects.toThrow(
      /"colour"; content items have id, companyId, title/,
    );
  });

  test('an unknown workspace is refused', async () => {
    await expect(importText(pool, 'wks_none', 'companies', '')).rejects.toThrow(
      'There is no workspace "wks_none"',
    );
  });
});
