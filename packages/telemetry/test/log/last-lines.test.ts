import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test.each(['fatal', 'info'])('the last lines of a process reach a slow reader: %s', async (end) => {
  const program = join(import.meta.dirname, 'last-lines.fixture.ts');
  const child = spawn(process.execPath, [program, end], { stdio: ['ignore', 'pipe', 'pipe'] });
  // Nobody reads the lines until all are logged.
  await once(child.stderr, 'data');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  expect(await once(child, 'close')).toEqual([1, null]);
  const lines = text.trim().split('\n');
  expect(lines).toHaveLength(3_001);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ msg: 'the last line' });
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
});
