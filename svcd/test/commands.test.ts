import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMMANDS } from '../src/program.ts';

test('docs/operations.md names every command', () => {
  const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  for (const name of Object.keys(COMMANDS)) expect(text).toContain(`\`svcd ${name}\``);
});
