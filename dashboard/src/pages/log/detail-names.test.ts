import { AUDIT_LOG_KINDS, type AuditLogKindDeclaration } from '@svc/sdk/contract';
import { expect, test } from 'vitest';
import { DETAIL_NAMES } from './detail-names.ts';

const KINDS: Readonly<Record<string, AuditLogKindDeclaration>> = AUDIT_LOG_KINDS;

test.each(Object.entries(KINDS))(
  'every detail and changed field of %s has a label',
  (_, { details, changes }) => {
    const names = [...(details ?? []), ...(changes === 'any' ? [] : (changes ?? []))];
    expect(names.filter((name) => !(name in DETAIL_NAMES))).toEqual([]);
  },
);
