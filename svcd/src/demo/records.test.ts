import { expect, test } from 'vitest';
import { CONTENT_TITLES, MENTION_PHRASES } from './phrases.ts';
import { demoRecords } from './records.ts';

const sentences = Object.values(MENTION_PHRASES).flatMap(({ excerpts }) => excerpts);

test('the excerpt of a mention has two different sentences', () => {
  const patterns = sentences.map(
    (text) => new RegExp(RegExp.escape(text).replaceAll(/\\\{\w+\\\}/g, '.+'), 'i'),
  );
  const { mentions } = demoRecords(Date.parse('2026-03-10T12:34:56Z'));
  const repeating = mentions.filter(
    ({ excerpt }) => patterns.filter((pattern) => pattern.test(String(excerpt))).length !== 2,
  );
  expect(mentions).toHaveLength(5_000);
  expect(repeating.map(({ excerpt }) => excerpt)).toEqual([]);
});

test('no verb has a product as its subject, because some products are singular and others plural', () => {
  const texts = [
    ...Object.values(MENTION_PHRASES).flatMap(({ titles, excerpts }) => [...titles, ...excerpts]),
    ...CONTENT_TITLES,
  ].filter((text) => text.includes('{product}'));
  expect(texts.length).toBeGreaterThan(8);
  // Only "will" has one form.
  const fitting = /\{product\}(?: (?:from|by) \{company\})?(?:[:,.]| in | best | will |$)/;
  expect(texts.filter((text) => !fitting.test(text))).toEqual([]);
});
