import type { Content, Mention } from '@svc/sdk';
import type { DemoCompany } from './companies.ts';
import type { Random } from './random.ts';

/** Headlines and sentences for the demo. Placeholders such as {product} stand for words of a company. */

interface Phrases {
  readonly titles: readonly string[];
  readonly excerpts: readonly string[];
}

export const SOURCES: readonly string[] = [
  'The Harbour Times',
  'Northern Business Weekly',
  'Retail Observer',
  'Morning Ledger',
  'City Desk',
  'Consumer Review',
  'The Sunday Courier',
  'Trade & Transport',
  'Neighbourhood Forum',
  'Green Living Blog',
];

export const MENTION_PHRASES: Readonly<Record<Mention['sentiment'], Phrases>> = {
  positive: {
    titles: [
      'Readers rate {product} from {company} best of nine',
      '{company} opens in {place} and hires {number} people',
      'How {company} won over {place}',
      '{product}: {company} does what others promise',
      'Award for {company}: the jury praises {theme}',
      'A year with {product} by {company}: still convinced',
    ],
    excerpts: [
      'Of {number} customers asked in {place}, four in five would choose {company} again.',
      'With {product}, little has to be explained, readers write: everything is as described.',
      'The branch in {place} is busy from the first hour, and the staff know their regulars by name.',
      'With its work on {theme}, {company} has set a mark that others in the field will be measured by.',
    ],
  },
  neutral: {
    titles: [
      '{company} presents {product} in {place}',
      '{company} plans a second site in {place}',
      'Change at the top: {company} names a new head of operations',
      'Figures for the quarter: {company} grows by {percent} percent',
      'What {company} says about {theme}',
      '{place} and {company} extend their contract',
    ],
    excerpts: [
      'The company confirmed the plan on {weekday}; the council of {place} decides next month.',
      'According to {company}, {product} will be offered in {place} from the start of the season.',
      'Sales rose by {percent} percent against the same quarter of last year, in line with expectations.',
      'A panel in {place} discussed {theme}; {company} was one of {number} firms that took part.',
    ],
  },
  negative: {
    titles: [
      'Customers in {place} wait weeks for {product}',
      '{company} raises prices by {percent} percent',
      'Residents of {place} complain about {company}',
      'Test: {company} falls behind with {product}',
      '{company} pays refunds for {product}',
      'No answer from {company}: a reader reports',
    ],
    excerpts: [
      'Three calls, two letters, no reply: what {number} readers tell us about {company} sounds alike.',
      'The firm speaks of a fault in one delivery and has promised refunds to all buyers in {place}.',
      'Neighbours in {place} have collected {number} signatures; a meeting is set for {weekday}.',
      'Promises on {theme} were not kept, says the consumer office, which has asked for a statement.',
    ],
  },
};

export const CONTENT_TITLES: readonly string[] = [
  'How {company} thinks about {theme}',
  'Five questions about {product}, answered',
  'A day in {place} with {company}',
  'What we learned from {number} letters about {product}',
  '{theme}: where we stand and what comes next',
  'Before you choose {product}: a short guide',
  'Made in {place}: the people behind {product}',
  'Notes on {theme} from {place}',
];

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const;

/** A phrase with its placeholders replaced. The first letter becomes a capital. */
export function fill(phrase: string, company: DemoCompany, random: Random): string {
  const words: Readonly<Record<string, () => string>> = {
    company: () => company.name,
    product: () => random.pick(company.products),
    place: () => random.pick(company.places),
    theme: () => random.pick(company.themes),
    number: () => String(random.integer(12, 480)),
    percent: () => String(random.integer(2, 14)),
    weekday: () => random.pick(WEEKDAYS),
  };
  const text = phrase.replace(/\{(\w+)\}/g, (whole, name: string) => words[name]?.() ?? whole);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The last part of an address: `what-we-learned`. */
export const slugOf = (title: Content['title']): string =>
  title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
