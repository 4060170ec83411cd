import type { FieldShape, ResourceShape } from '@svc/service/dashboard/wire-data';
import type { Noun } from '../../format/plural.ts';
import type { Tone } from '../../ui/badge.tsx';

/** `headlineScore` → "Headline score", `companyId` → "Company", `publishedAt` → "Published". */
export function fieldLabel(name: string): string {
  if (name === 'id' || name === 'url') return name.toUpperCase();
  const words = name.replace(/(?:Id|At)$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Content has no plural of its own. */
export const nounOf = ({ name, singular }: ResourceShape): Noun => [
  singular,
  name === 'content' ? `${singular}s` : name,
];

/** `in_review` → "In review". */
export function valueLabel(value: string): string {
  const words = value.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `score-descending` → "Score, highest first". */
export function sortLabel(sort: string, fields: readonly FieldShape[]): string {
  const [name = '', order] = sort.split('-');
  const descending = order === 'descending';
  const field = fields.find((one) => one.name.toLowerCase().includes(name));
  if (field?.kind === 'integer') return `${valueLabel(name)}, ${descending ? 'highest' : 'lowest'} first`;
  return `${valueLabel(name)}, ${descending ? 'newest' : 'oldest'} first`;
}

/** Whether new records appear at the top of a list with this sort. Undefined: the only order, which is newest first. */
export const isNewestFirst = (sort: string | undefined): boolean =>
  sort === undefined || sort === 'created-descending';

const TONES: Readonly<Record<string, Tone>> = {
  positive: 'good',
  negative: 'bad',
  published: 'good',
  scheduled: 'accent',
  in_review: 'warn',
};
export const toneOf = (value: string): Tone => TONES[value] ?? 'neutral';

/** The fields to show as columns; the first one links to the record. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  audits: ['id', 'companyId', 'headlineScore', 'completedAt'],
  mentions: ['title', 'companyId', 'sentiment', 'source', 'publishedAt'],
  content: ['title', 'companyId', 'status', 'updatedAt', 'publishedAt'],
  companies: ['name', 'domain', 'createdAt', 'id'],
};
export const columnFields = (resource: string, fields: readonly FieldShape[]): readonly FieldShape[] => {
  const names = COLUMNS[resource] ?? fields.map(({ name }) => name);
  return names.flatMap((name) => fields.find((field) => field.name === name) ?? []);
};
