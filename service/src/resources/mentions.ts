import type { Mention } from '@svc/sdk';
import { defineResource } from './define.ts';
import { choice, companyId, createdAt, id, text, time } from './field.ts';

export const mentions = defineResource<Mention>()({
  name: 'mentions',
  singular: 'mention',
  description: 'A place on the web that mentions a company.',
  idPrefix: 'men',
  fields: {
    id: id({ description: 'Mention identifier.', example: 'men_01jq4d2a9vf8wt3j7z0xm4n6pd' }),
    companyId,
    source: text({ description: 'Where it was found.', max: 200, example: 'news.example.com' }),
    url: text({
      description: 'Address of the mention.',
      max: 2048,
      format: 'uri',
      example: 'https://news.example.com/a/17',
    }),
    title: text({ description: 'Title of the mention.', max: 500, example: 'Acme opens a second plant' }),
    excerpt: text({
      description: 'The words around it.',
      min: 0,
      max: 5000,
      example: 'Acme said on Monday …',
    }),
    sentiment: choice(['positive', 'neutral', 'negative'], {
      description: 'Tone of the mention.',
      example: 'positive',
    }),
    publishedAt: time({ description: 'When it was published.', example: '2026-02-27T06:00:00Z' }),
    createdAt,
  },
  company: 'companyId',
  sorts: { published: 'publishedAt' },
  filters: { companyId },
});
