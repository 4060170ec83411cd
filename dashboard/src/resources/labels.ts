import { capitalized, createdAt, type ResourceContract } from '@svc/sdk/contract';
import type { Noun } from '../format/plural.ts';
import { formatDate } from '../format/time.ts';
import type { Tone } from '../ui/badge.tsx';
import { companyOf, type DataRecord, namingField, sortedField, titleOf } from './resources.ts';

/** `headlineScore` → "Headline score", `companyId` → "Company", `publishedAt` → "Published". */
export function fieldLabel(name: string): string {
  if (name === 'id' || name === 'url') return name.toUpperCase();
  return capitalized(
    name.replace(/(?:Id|At)$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  );
}

/** `in_review` → "In review". */
export const valueLabel = (value: string): string => capitalized(value.replaceAll('_', ' '));

/** `score-descending` → "Score, highest first". */
export function sortLabel(sort: string, resource: ResourceContract): string {
  const [name = '', order] = sort.split('-');
  const { kind } = resource.fields[sortedField(resource, name)] ?? createdAt;
  const [highest, lowest] = kind === 'integer' ? ['highest', 'lowest'] : ['newest', 'oldest'];
  return `${capitalized(name)}, ${order === 'descending' ? highest : lowest} first`;
}

/** The singular and the plural of a resource. */
export const nounOf = ({ singular, plural }: ResourceContract): Noun => [singular, plural];

/** Colours of values that people rate as good or bad. Other values are neutral. */
const TONES: Readonly<Record<string, Tone>> = {
  positive: 'good',
  negative: 'bad',
  published: 'good',
  scheduled: 'accent',
  in_review: 'warn',
};
export const toneOf = (value: string): Tone => TONES[value] ?? 'neutral';

/** The title or name of a record. Without them, its company and its first time: "Audit of Acme, Mar 1, 2026". */
export function headingOf(
  resource: ResourceContract,
  record: DataRecord,
  companyName: (id: string) => string,
): string {
  const company = companyOf(resource, record);
  if (namingField(resource) !== 'id' || company === null) return titleOf(resource, record);
  const time = Object.entries(resource.fields).find(([name, { kind }]) => kind === 'time' && record[name]);
  const heading = `${capitalized(resource.singular)} of ${companyName(company)}`;
  return time === undefined ? heading : `${heading}, ${formatDate(String(record[time[0]]))}`;
}
