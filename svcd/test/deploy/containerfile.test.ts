import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const text = readFileSync(join(import.meta.dirname, '../../../deploy/Containerfile'), 'utf8');

test('the image takes the package from the folder that npm installs it to, whatever the prefix of the base is', () => {
  const [, prefix] = /npm install --global --prefix (\S+)/.exec(text) ?? [];
  expect(prefix).toBe('/usr/local');
  const folder = `${prefix}/lib/node_modules/svc`;
  expect(text).toContain(`COPY --from=install ${folder} ${folder}\n`);
});
