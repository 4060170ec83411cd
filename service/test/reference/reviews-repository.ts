import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type CopiedRepository, copyRepository } from '../../../tools/check/copied-repository.ts';
import { REVIEWS_ENTRY, REVIEWS_SQL } from './review.ts';

const MIGRATIONS = 'service/migrations';
const NUMBER_DIGITS = 4;

/** A copy of this repository with one more resource: an entry in the contract and a migration. */
export async function repositoryWithReviews(): Promise<CopiedRepository> {
  const copy = await copyRepository();
  await copy.insertBefore(
    'sdk/src/contract/resources.ts',
    '\n} as const;\n\n/** Every resource of the API. */',
    REVIEWS_ENTRY,
  );
  const numbers = (await readdir(join(copy.directory, MIGRATIONS))).map((name) => Number.parseInt(name, 10));
  const next = String(Math.max(...numbers) + 1).padStart(NUMBER_DIGITS, '0');
  await copy.write(`${MIGRATIONS}/${next}_reviews.sql`, REVIEWS_SQL);
  return copy;
}
