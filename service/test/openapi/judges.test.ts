import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { openApiDocument } from '@svc/openapi';
import { expect, test } from 'vitest';

// Linters of others check the document.

/** Spectral's rules that the document breaks on purpose. */
const EXCEPTIONS = {
  // The program does not know who operates a service.
  'info-contact': 'off',
  // The license has an SPDX identifier; OpenAPI 3.1 allows one of the two.
  'license-url': 'off',
  // Tags are in the order in which people read them.
  'openapi-tags-alphabetical': 'off',
} as const;

const text = JSON.stringify(openApiDocument({ publicUrl: 'https://svc.internal', version: '1.2.3' }));

test('Redocly finds nothing by its strict rules', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  const messages = problems.map(
    ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`,
  );
  expect(messages).toEqual([]);
});

test('Spectral finds nothing by its rules for OpenAPI', async () => {
  const spectral = new spectralCore.Spectral();
  const oas: unknown = spectralRulesets.oas;
  spectral.setRuleset({ extends: [[oas as RulesetDefinition, 'all']], rules: EXCEPTIONS });
  const problems = await spectral.run(text);
  expect(problems.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`)).toEqual([]);
});
