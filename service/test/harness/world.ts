import {
  COMPANY,
  type FilterCase,
  LISTS,
  type ListCase,
  OTHER_COMPANY,
  type Params,
  urlOf,
} from './lists.ts';
import { resourceNamed, type SeedRow, seedChanges, seedRecords, TRUE_COUNTS } from './records.ts';
import { createTestService, type TestAnswer, type TestService } from './service.ts';

/** The least number of items in each list of a seeded workspace. Not a multiple of the tests' page sizes. */
export const ITEMS = 13;

/** Two workspaces whose items have the same ids, and a test key of each, because test keys write no audit entries. */
export interface World {
  readonly service: TestService;
  readonly workspaceId: string;
  readonly token: string;
  readonly neighbourId: string;
  readonly neighbourToken: string;
  /** A page or a failure of the first workspace's list. */
  get(list: Pick<ListCase, 'path'>, params?: Params): Promise<TestAnswer>;
}

/** The same time for three items at a time, so that lists have ties. */
const createdAt = (index: number): string =>
  `2026-03-01T09:30:00.${String(100_000 + Math.floor(index / 3))}Z`;

/** Each filter alternates between its two values at its own frequency, so that every combination exists. */
const filterValue = ({ good, other }: FilterCase, position: number, index: number): string =>
  Math.floor(index / (position + 1)) % 2 === 0 ? good : other;

export function seedRow(list: ListCase, index: number): SeedRow {
  const id = `${list.resource.idPrefix}_seed_${String(index).padStart(4, '0')}`;
  const values = Object.fromEntries(
    list.filters.map((filter, position) => [filter.name, filterValue(filter, position, index)]),
  );
  const row = { ...values, id, createdAt: createdAt(index) };
  if (list.name === 'api-keys') {
    const revokedAt = 'status' in values && values['status'] === 'revoked' ? createdAt(index) : null;
    return { ...row, companyId: index % 3 === 0 ? COMPANY : null, revokedAt };
  }
  return list.name === 'audits' ? { ...row, headlineScore: index % 4 } : row;
}

export async function seedWorkspace(service: TestService, workspaceId: string): Promise<void> {
  const companies = [COMPANY, OTHER_COMPANY].map((id, i) => ({ id, createdAt: createdAt(i) }));
  await seedRecords(service.pool, workspaceId, resourceNamed('companies'), companies);
  for (const list of LISTS) {
    const rows = Array.from({ length: ITEMS }, (_, index) => seedRow(list, index));
    await seedRecords(service.pool, workspaceId, list.resource, rows);
  }
  await service.pool.query(
    `insert into record_counts (workspace_id, resource, company_id, records)
     select $1, resource, company_id, records from (${TRUE_COUNTS}) truth`,
    [workspaceId],
  );
}

export async function createWorld(): Promise<World> {
  const service = await createTestService();
  const [workspaceId, neighbourId] = [await service.workspace(), await service.workspace()];
  for (const id of [workspaceId, neighbourId]) {
    await seedWorkspace(service, id);
    await seedChanges(service.pool, id, [
      { type: 'company.deleted', recordId: 'com_gone', companyId: 'com_gone', doc: null },
    ]);
  }
  const token = await service.token(workspaceId, { mode: 'test' });
  const neighbourToken = await service.token(neighbourId, { mode: 'test' });
  await freezeLastUse(service);
  return {
    service,
    workspaceId,
    token,
    neighbourId,
    neighbourToken,
    get: (list, params) => service.request(token, urlOf(list.path, params)),
  };
}

/** A key's own use must not change the list of keys while a test compares its pages. */
export async function freezeLastUse({ pool }: TestService): Promise<void> {
  await pool.query(`update api_keys set last_used_at = '2100-01-01T00:00:00Z'`);
}
