import { COMPANY } from '../harness/lists.ts';
import type { TestAnswer } from '../harness/service.ts';

export interface Request {
  readonly what: string;
  readonly send: () => Promise<TestAnswer>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A record of each resource for PUT, by the name of the resource. */
const WHOLE: Readonly<Record<string, object>> = {
  audits: { companyId: COMPANY, headlineScore: 7, completedAt: '2026-03-01T09:30:00Z' },
  mentions: {
    companyId: COMPANY,
    source: 'a.example',
    url: 'https://a.example/',
    title: 'new',
    excerpt: '',
    sentiment: 'neutral',
    publishedAt: '2026-03-01T09:30:00Z',
  },
  content: { companyId: COMPANY, title: 'new' },
};

/** Replacements and batches of records with this id, of which the company exists. The other records are deleted again. */
export const moreWrites = (id: string): readonly (readonly [Method, string, object])[] => [
  ['PUT', `/v1/companies/${id}`, { name: 'newest' }],
  ...Object.entries(WHOLE).map(([name, whole]) => ['PUT', `/v1/${name}/${id}`, whole] as const),
  ['PATCH', '/v1/mentions/batch', { data: [{ id, title: 'new' }] }],
  ['PATCH', '/v1/content/batch', { data: [{ id, title: 'new' }] }],
  ['PATCH', '/v1/companies/batch', { data: [{ id, name: 'new' }] }],
  [
    'POST',
    '/v1/batch',
    { operations: [{ method: 'PATCH', path: `/v1/companies/${id}`, body: { name: 'other' } }] },
  ],
  ...['mentions', 'content'].map((name) => ['POST', `/v1/${name}/batch/delete`, { data: [{ id }] }] as const),
];
