// A resource that the service does not have, with everything that is needed to add it.

/** Its entry in the contract, before the entry of the audit log. */
export const REVIEWS_ENTRY = `
  reviews: defineResource({
    name: 'reviews',
    singular: 'review',
    plural: 'reviews',
    description: 'A review of a company by a customer.',
    idPrefix: 'rev',
    fields: {
      id: { kind: 'id', description: 'Review identifier.', example: 'rev_01jq4d1n8se0wr2h6y9zk3v5mc' },
      companyId,
      rating: { kind: 'integer', min: 1, max: 5, description: 'Stars.', example: 4 },
      stage: {
        kind: 'choice',
        values: ['new', 'answered'],
        default: 'new',
        description: 'Whether the company has answered.',
        example: 'new',
      },
      author: { kind: 'text', max: 200, nullable: true, description: 'Name of the author.', example: 'Ada' },
      createdAt,
    },
    company: 'companyId',
    sorts: { rating: 'rating' },
    filters: {
      companyId,
      stage: {
        kind: 'choice',
        values: ['new', 'answered'],
        description: 'Whether the company has answered.',
        example: 'new',
      },
    },
    counted: true,
    writes: ['create', 'update', 'delete'],
    server: ['createdAt'],
    optional: ['stage', 'author'],
  }),
`;

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
    primary key (workspace_id, id)
  );
  create index reviews_by_created on reviews (workspace_id, created_at, id);
  create index reviews_by_rating on reviews (workspace_id, rating, id);
  create index reviews_by_company_created on reviews (workspace_id, company_id, created_at, id);
  create index reviews_by_company_rating on reviews (workspace_id, company_id, rating, id);
  create index reviews_by_stage_created on reviews (workspace_id, stage, created_at, id);
  create index reviews_by_stage_rating on reviews (workspace_id, stage, rating, id);
  create index reviews_by_company_stage_created on reviews (workspace_id, company_id, stage, created_at, id);
  create index reviews_by_company_stage_rating on reviews (workspace_id, company_id, stage, rating, id);
  create trigger has_reviews before delete on companies
    for each row execute function refuse_while_records_exist('reviews');`;

/** A program that uses the resource through the client library. It prints its results as JSON. */
export const CLIENT_PROGRAM = `
import { type Item, type NewItem, type Resources, Svc } from '@svc/sdk';

type Review = Item<Resources['reviews']>;

const svc = new Svc();
const [company] = (await svc.companies.list({ limit: 1 })).data;
if (company === undefined) throw new Error('there is no company');
const given: NewItem<Resources['reviews']> = { companyId: company.id, rating: 2 };
const created: Review = await svc.reviews.create(given);
const changed = await svc.reviews.update(created.id, { stage: 'answered', author: 'Ada' });
const ratings: number[] = [];
for await (const { rating } of svc.reviews.list({ sort: 'rating-ascending', limit: 2 })) ratings.push(rating);
const tailed: string[] = [];
for await (const { id } of svc.reviews.tail({ follow: false, stage: 'answered' })) tailed.push(id);
await svc.reviews.delete(created.id);
const { count } = await svc.reviews.count();
console.log(JSON.stringify({ created, changed, ratings, tailed, count }));
`;
