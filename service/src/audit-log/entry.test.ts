import { readFileSync } from 'node:fs';
import { AUDIT_LOG_KINDS, type AuditLogKindDeclaration } from '@svc/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entryDoc, type NewEntry } from './entry.ts';

const TIME = '2026-03-01T09:30:00.000001Z';

describe('the wire JSON of an entry', () => {
  test('is complete and in order once the time is between its two parts', () => {
    const entry: NewEntry = {
      kind: 'api.request',
      keyId: 'key_1',
      actor: null,
      requestId: 'req_1',
      method: 'GET',
      path: '/v1/audits',
      status: 200,
      durationMs: 4,
      ip: '203.0.113.7',
      userAgent: null,
    };
    const { id, head, tail, kind, keyId } = entryDoc(entry);
    const doc = head + TIME + tail;
    expect(JSON.parse(doc)).toEqual({ id, createdAt: TIME, ...entry });
    expect(Object.keys(JSON.parse(doc))).toEqual([
      'id',
      'kind',
      'createdAt',
      'keyId',
      'actor',
      ...['requestId', 'method', 'path', 'status', 'durationMs', 'ip', 'userAgent'],
    ]);
    expect({ kind, keyId }).toEqual({ kind: 'api.request', keyId: 'key_1' });
    expect(id).toMatch(/^log_[0-9a-z]{26}$/);
  });

  test('can contain any text that PostgreSQL accepts, on one line', () => {
    const text = fc
      .tuple(fc.string({ unit: 'binary' }), fc.constantFrom('', '\0', '\ud800', '\udfff', '\\', '\\u0000'))
      .map((parts) => parts.join(''));
    const stored = (any: string): string => any.toWellFormed().replaceAll('\0', '\uFFFD');
    fc.assert(
      fc.property(text, text, (path, userAgent) => {
        const { head, tail } = entryDoc({ kind: 'api.request', keyId: null, actor: null, path, userAgent });
        const doc = head + TIME + tail;
        expect(JSON.parse(doc)).toMatchObject({ path: stored(path), userAgent: stored(userAgent) });
        expect(doc).not.toContain('\n');
      }),
    );
  });
});

test('docs/operations.md has exactly one row per kind of entry, with its fields', () => {
  const doc = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const section = doc.slice(
    doc.indexOf('## What the audit log records'),
    doc.indexOf('## Audit log and retention'),
  );
  const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
  const kinds: Readonly<Record<string, AuditLogKindDeclaration>> = AUDIT_LOG_KINDS;
  expect(section.split('\n').filter((line) => line.startsWith('| `'))).toEqual(
    Object.entries(kinds).map(([kind, { description, target = '', details = [], changes = [] }]) => {
      const changed = changes === 'any' ? 'names of fields' : code(changes);
      return `| \`${kind}\` | ${description} | ${target} | ${code(details)} | ${changed} |`;
    }),
  );
});
