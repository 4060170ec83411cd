import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACT, capitalized, oneOf, RECORDS, recordEventTypes, WORKSPACE_EVENTS } from '@svc/sdk/contract';
import { expect, test } from 'vitest';
import { REPOSITORY } from './documents.ts';

/** The rows of the guide's table of events: type, what happened, and the record. */
const ROWS = readFileSync(join(REPOSITORY, 'docs/guides/webhooks.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| `[a-z_]+\.[a-z_]+` \|/.test(line))
  .map((line) => line.slice(2, -2).split(' | '));

test('the guide of webhooks lists the event types of the contract, in its order', () => {
  expect(ROWS.map(([type]) => type)).toEqual(
    CONTRACT.changes.fields.type.values.map((type) => `\`${type}\``),
  );
});

test('the guide of webhooks says what the contract says about each type of event', () => {
  const cell = ({ recordType, fields }: { readonly recordType: string; readonly fields: object }): string =>
    recordType === 'ApiKey'
      ? 'The key, as the list of keys shows it'
      : Object.keys(fields)
          .map((name) => `\`${name}\``)
          .join(', ');
  const expected = [
    ...Object.values(RECORDS).flatMap((resource) =>
      recordEventTypes([resource]).map((type) => {
        const { singular } = resource;
        const one = capitalized(oneOf(resource));
        if (type.endsWith('.created')) return [`${one} was created or imported.`, `The ${singular}`];
        if (type.endsWith('.updated')) return [`${one} was changed.`, `The ${singular} after the change`];
        return [`${one} was deleted.`, 'null'];
      }),
    ),
    ...Object.values(WORKSPACE_EVENTS).map((event) => [event.description, cell(event)]),
  ];
  expect(ROWS.map(([, ...cells]) => cells)).toEqual(expected);
});
