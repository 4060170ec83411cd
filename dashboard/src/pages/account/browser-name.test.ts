import { expect, test } from 'vitest';
import { browserName } from './browser-name.ts';

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${CHROME}`, 'Chrome on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Edg/140.0.0.0`, 'Edge on Windows'],
  ['Mozilla/5.0 (X11; Linux) Gecko/1 Firefox/150.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1', 'Safari on iOS'],
  [`Mozilla/5.0 (Linux; Android 16) ${CHROME}`, 'Chrome on Android'],
  ['curl/8.5.0', 'curl'],
  ['Something/1.0', 'Something/1.0'],
  ['', 'Unknown browser'],
  [null, 'Unknown browser'],
])('%s is "%s"', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});
