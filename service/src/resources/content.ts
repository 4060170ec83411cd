import type { Content } from '@svc/sdk';
import { defineResource } from './define.ts';
import { choice, companyId, createdAt, id, nullable, text, time } from './field.ts';

const status = choice(['draft', 'in_review', 'scheduled', 'published', 'archived'], {
  description: 'Where the item stands on its way to publication.',
  example: 'published',
  fallback: 'draft',
});

export const content = defineResource<Content>()({
  name: 'content',
  singular: 'content item',
  type: 'Content',
  description: 'A piece of content written about a company.',
  idPrefix: 'con',
  fields: {
    id: id({ description: 'Content item identifier.', example: 'con_01jq4d3b7xe9ys4k8w1vn5r2qe' }),
    companyId,
    title: text({ description: 'Title of the item.', max: 500, example: 'How Acme saves water' }),
    url: nullable(
      text({
        description: 'Where it is published.',
        max: 2048,
        format: 'uri',
        example: 'https://blog.example.com/water',
      }),
    ),
    status,
    createdAt,
    updatedAt: time({
      description: 'When it last changed.',
      from: 'server',
      example: '2026-03-02T08:00:00.000001Z',
    }),
    publishedAt: nullable(time({ description: 'When it was published.', example: '2026-03-02T08:00:00Z' })),
  },
  company: 'companyId',
  filters: { companyId, status },
  transitions: {
    field: 'status',
    moves: {
      draft: ['in_review'],
      in_review: ['scheduled', 'published', 'draft'],
      scheduled: ['published', 'draft'],
      published: ['archived'],
      archived: ['draft'],
    },
    stamps: { published: 'publishedAt' },
  },
});
