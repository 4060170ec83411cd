import { expect, test } from 'vitest';
import { serverSettings } from '../src/server/settings.ts';

test.each([
  [0, 200],
  [150, 200],
  [151, 201],
  [64 * 100 + 5, 6455],
])('for a service with %s connections the server allows %s', (connections, allowed) => {
  expect(serverSettings('/run', connections)).toContain(`max_connections=${allowed}`);
});
