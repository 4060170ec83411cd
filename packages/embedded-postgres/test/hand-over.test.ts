import { chown, link, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { handOver } from '../src/cluster/hand-over.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

// User ids without names.
const MAKER = { name: 'maker', uid: 54_321, gid: 54_321 };
const OWNER = { name: 'owner', uid: 54_322, gid: 54_322 };

/** A directory of the maker with a file in a directory in it, and a file of root next to it. */
async function tree(skip: (note: string) => never): Promise<{ root: string; inner: string; target: string }> {
  if (process.getuid?.() !== 0) skip('only root can give files away');
  const parent = await temporaryDirectory();
  const [root, inner, target] = [
    join(parent, 'tree'),
    join(parent, 'tree', 'inner'),
    join(parent, 'of-root'),
  ];
  await mkdir(inner, { recursive: true });
  await writeFile(join(inner, 'file'), 'of the maker');
  await writeFile(target, 'of root');
  for (const path of [root, inner, join(inner, 'file')]) await chown(path, MAKER.uid, MAKER.gid);
  return { root, inner, target };
}

test('everything in a directory gets its new owner', async ({ skip }) => {
  const { root, inner } = await tree(skip);
  await handOver(root, MAKER, OWNER);
  for (const path of [root, inner, join(inner, 'file')]) {
    expect(await stat(path)).toMatchObject({ uid: OWNER.uid, gid: OWNER.gid });
  }
});

test.for([
  'a hard link',
  'a symbolic link',
  'a hard link that was given to the maker',
  'a file of another user',
])('%s is refused, and keeps its owner', async (kind, { skip }) => {
  const { root, inner, target } = await tree(skip);
  const place = join(inner, 'link');
  if (kind === 'a symbolic link') await symlink(target, place);
  else if (kind === 'a file of another user') await writeFile(place, 'of root');
  else await link(target, place);
  if (kind.endsWith('the maker')) await chown(target, MAKER.uid, MAKER.gid);
  const { uid } = await stat(place);
  await expect(handOver(root, MAKER, OWNER)).rejects.toThrow(
    `${place} is a link, has several names, or does not belong to the user maker.`,
  );
  expect((await stat(place)).uid).toBe(uid);
});
