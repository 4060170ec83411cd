import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../service/test/harness/temporary-directory.ts';
import { refuseUnresolved } from './build.ts';

test('a package is refused if one of its modules imports a package that is not installed', async () => {
  const module = join(await temporaryDirectory(), 'module.ts');
  const bundle = async (text: string) => {
    writeFileSync(module, text);
    return (await rolldown({ input: module, onLog: refuseUnresolved })).generate();
  };
  await expect(bundle('export const one = 1;')).resolves.toMatchObject({ output: { length: 1 } });
  await expect(bundle("export * from '@svc/nowhere';")).rejects.toThrow("Could not resolve '@svc/nowhere'");
});
