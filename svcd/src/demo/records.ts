import type { Content, Mention } from '@svc/sdk';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@svc/service/config/time';
import type { RecordInput } from '@svc/service/records/row';
import { DEMO_COMPANIES, type DemoCompany } from './companies.ts';
import { CONTENT_TITLES, fill, MENTION_PHRASES, SOURCES, slugOf } from './phrases.ts';
import { createRandom, type Random } from './random.ts';

const SEED = 20_260_301;
const AUDITS = 2_000;
const MENTIONS = 5_000;
const CONTENT_ITEMS = 500;

const YEAR_MS = 365 * DAY_MS;
/** The least age of a record. */
const NEWEST_MS = 5 * MINUTE_MS;

/** The demo's records by resource, oldest first. Companies come first, because other records refer to them. */
export interface DemoRecords {
  readonly companies: readonly RecordInput[];
  readonly audits: readonly RecordInput[];
  readonly mentions: readonly RecordInput[];
  readonly content: readonly RecordInput[];
}

/** A year of records up to `nowMs`. The result is the same for the same time. */
export function demoRecords(nowMs: number): DemoRecords {
  const random = createRandom(SEED);
  const time: AgeToTime = (ageMs) => new Date(nowMs - NEWEST_MS - ageMs).toISOString();
  return {
    companies: DEMO_COMPANIES.map(({ id, name, domain }, i) => ({
      id,
      name,
      domain,
      createdAt: time(YEAR_MS + (DEMO_COMPANIES.length - i) * HOUR_MS),
    })),
    audits: audits(random, time),
    mentions: mentions(random, time),
    content: content(random, time),
  };
}

type AgeToTime = (ageMs: number) => string;

/** Ages from one year to zero, oldest first. With `growth` above 1, more of them are recent. */
const ages = (random: Random, count: number, growth: number): readonly number[] =>
  Array.from({ length: count }, () => YEAR_MS * random.next() ** growth).sort((a, b) => b - a);

/** Scores vary around a line from the first score of a company to its last. */
function audits(random: Random, time: AgeToTime): readonly RecordInput[] {
  const wander = new Map<string, number>();
  return ages(random, AUDITS, 1).map((age, i) => {
    const company = companyAt(i);
    const offset = (wander.get(company.id) ?? 0) * 0.9 + random.around(0, 3);
    wander.set(company.id, offset);
    const score = company.score + company.trend * (1 - age / YEAR_MS) + offset;
    return {
      companyId: company.id,
      headlineScore: Math.min(100, Math.max(0, Math.round(score))),
      completedAt: time(age + random.integer(2_000, 90_000)),
      createdAt: time(age),
    };
  });
}

function mentions(random: Random, time: AgeToTime): readonly RecordInput[] {
  const famous = DEMO_COMPANIES.flatMap((company) => Array.from({ length: company.fame }, () => company));
  return ages(random, MENTIONS, 1.3).map((age) => {
    const company = random.pick(famous);
    const sentiment = sentimentOf(company, random);
    const { titles, excerpts } = MENTION_PHRASES[sentiment];
    const title = fill(random.pick(titles), company, random);
    const first = random.pick(excerpts);
    const second = random.pick(excerpts.filter((one) => one !== first));
    const source = random.pick(SOURCES);
    const publishedAt = time(age + random.integer(5 * MINUTE_MS, 30 * HOUR_MS));
    return {
      companyId: company.id,
      source,
      url: `https://${slugOf(source)}.example/${publishedAt.slice(0, 10)}/${slugOf(title)}`,
      title,
      excerpt: `${fill(first, company, random)} ${fill(second, company, random)}`,
      sentiment,
      publishedAt,
      createdAt: time(age),
    };
  });
}

function sentimentOf({ praise, blame }: DemoCompany, random: Random): Mention['sentiment'] {
  const chance = random.next();
  if (chance < praise) return 'positive';
  return chance < praise + blame ? 'negative' : 'neutral';
}

function content(random: Random, time: AgeToTime): readonly RecordInput[] {
  return ages(random, CONTENT_ITEMS, 1).map((age, i) => {
    const company = companyAt(i);
    const title = fill(random.pick(CONTENT_TITLES), company, random);
    const status = statusAt(age, random);
    const writtenMs = age * (0.3 + 0.6 * random.next());
    const isOut = status === 'published' || status === 'archived';
    return {
      companyId: company.id,
      title,
      url: isOut ? `https://${company.domain}/stories/${slugOf(title)}` : null,
      status,
      createdAt: time(age),
      updatedAt: time(status === 'archived' ? writtenMs / 2 : writtenMs),
      publishedAt: isOut ? time(writtenMs) : null,
    };
  });
}

/** Recent items are not published yet. */
function statusAt(ageMs: number, random: Random): Content['status'] {
  if (ageMs < 10 * DAY_MS) return random.pick(['draft', 'draft', 'in_review', 'scheduled']);
  if (ageMs < 30 * DAY_MS) return random.pick(['in_review', 'scheduled', 'published', 'published', 'draft']);
  if (ageMs < 180 * DAY_MS) return random.pick(['published', 'published', 'published', 'published', 'draft']);
  return random.pick(['published', 'published', 'archived']);
}

function companyAt(index: number): DemoCompany {
  const company = DEMO_COMPANIES[index % DEMO_COMPANIES.length];
  if (company === undefined) throw new RangeError('The demo has no companies.');
  return company;
}
