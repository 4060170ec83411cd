import { expect, test } from 'vitest';
import { logOutages } from '../src/outages.ts';

test('an outage of traces and one of metrics are logged each once, with their own ends', () => {
  const lines: string[] = [];
  const report = logOutages({ warn: (_, text) => lines.push(text), info: (text) => lines.push(text) });
  report({ signal: 'metrics', failure: 'Not Found' });
  report({ signal: 'traces', failure: 'ECONNREFUSED' });
  report({ signal: 'traces', failure: 'ECONNREFUSED' });
  report({ signal: 'traces', failure: null });
  report({ signal: 'traces', failure: null });
  expect(lines).toEqual([
    'metrics cannot be exported now; trying again',
    'traces cannot be exported now; trying again',
    'traces are exported again',
  ]);
});
