import { createdAt, defineResource } from '@svc/sdk/contract';
import type { Of, Resource } from '../../../sdk/src/resource.ts';
import type { IdPrefix } from '../../src/config/ids.ts';
import { resourceOf } from '../../src/resources/define.ts';

// A resource that the service does not have: all of what adding one takes.

/** Its wire type. */
export interface Review {
  readonly id: string;
  readonly companyId: string;
  readonly rating: number;
  readonly stage: 'new' | 'answered';
  readonly author: string | null;
  readonly createdAt: string;
}

const companyId = {
  kind: 'id',
  description: 'Identifier of the company that the record belongs to.',
  example: 'com_01jq4d0e6tf3s9v2m8k5x7h1ab',
} as const;

const stage = {
  kind: 'choice',
  values: ['new', 'answered'],
  default: 'new',
  description: 'Whether the company has answered.',
  example: 'new',
} as const;

const contract = defineResource({
  name: 'reviews',
  singular: 'review',
  plural: 'reviews',
  description: "A customer's review of a company.",
  idPrefix: 'rev',
  fields: {
    id: { kind: 'id', description: 'Review identifier.', example: 'rev_01jq4d1n8se0wr2h6y9zk3v5mc' },
    companyId,
    rating: { kind: 'integer', min: 1, max: 5, description: 'Stars.', example: 4 },
    stage,
    author: { kind: 'text', max: 200, nullable: true, description: 'Who wrote it.', example: 'Ada' },
    createdAt,
  },
  company: 'companyId',
  sorts: { rating: 'rating' },
  filters: { companyId, stage },
  writes: ['create', 'update', 'delete'],
  server: ['createdAt'],
  optional: ['stage', 'author'],
});

/** Its declaration in the service. The prefixes are a closed list, in which a real one would have its own. */
export const reviews = resourceOf({ ...contract, idPrefix: String('rev') as IdPrefix });

/** Its line in the client library. */
const client = {
  name: 'reviews',
  singular: 'review',
  fields: {
    id: 'text',
    companyId: 'text',
    rating: 'integer',
    stage: 'text',
    author: 'text',
    createdAt: 'time',
  },
  sorts: { rating: 'rating' },
  filters: { companyId: 'id', stage: ['new', 'answered'] },
  writes: ['create', 'update', 'delete'],
  server: ['createdAt'],
  optional: ['stage', 'author'],
} as const satisfies Resource;
export const clientReviews: typeof client & Of<Review> = client;

/** Its migration. */
export const REVIEWS_SQL = `
  create table reviews (
    workspace_id text collate "C" not null,
    id text collate "C" not null,
    company_id text collate "C" not null,
    rating smallint not null check (rating between 1 and 5),
    stage text not null check (stage in ('new', 'answered')),
    author text,
    created_at timestamptz not null,
    doc text not null,
    primary key (workspace_id, id),
    foreign key (workspace_id, company_id) references companies
  );
  create index reviews_by_created on reviews (workspace_id, created_at, id);
  create index reviews_by_rating on reviews (workspace_id, rating, id);
  create index reviews_by_company_created on reviews (workspace_id, company_id, created_at, id);
  create index reviews_by_stage_created on reviews (workspace_id, stage, created_at, id);`;
