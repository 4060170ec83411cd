import { elapsed } from '../harness/postgres/proxy.ts';
import { isRefusal, isSuccess, type Write, type WriteAttempt } from './history.ts';
import type { Random } from './random.ts';
import type { NamedToken, RequestOptions } from './recorder.ts';
import type { Scene } from './scene.ts';

const BATCH_RECORDS = 20;
const PAUSE_MS = 20;
/** As the seeded companies are called. */
export const COMPANY = 'acme';

const audit = (id: string | undefined, headlineScore = 50): object => ({
  ...(id === undefined ? {} : { id }),
  companyId: COMPANY,
  headlineScore,
  completedAt: '2026-03-01T09:30:00Z',
});

type Planned = Omit<Write, 'attempts' | 'workspaceId'> & {
  readonly path: string;
  readonly options: RequestOptions;
};

/** Repeats a write until it has a definite answer or the scene is over, and records it with all its attempts. */
async function carryOut(
  scene: Scene,
  token: NamedToken,
  { path, options, ...write }: Planned,
): Promise<void> {
  const attempts: WriteAttempt[] = [];
  for (;;) {
    const { attempt, body } = await scene.recorder.request(`${scene.nodeUrl()}${path}`, token, options);
    attempts.push({ ...attempt, answeredIds: idsIn(body) });
    if (isSuccess(attempt.status) || isRefusal(attempt.status)) break;
    if (scene.isOver()) break;
    await elapsed(PAUSE_MS);
  }
  scene.recorder.writes.push({ ...write, workspaceId: token.workspaceId, attempts });
}

function idsIn(body: unknown): readonly string[] {
  const { id, data } = (body ?? {}) as { id?: string; data?: readonly { id: string }[] };
  return data?.map((record) => record.id) ?? (id === undefined ? [] : [id]);
}

/** Creates audits, one by one and in batches, with given and with generated ids. Some are refused. */
export async function writeAudits(
  scene: Scene,
  name: string,
  tokens: { readonly live: NamedToken; readonly sandbox: NamedToken },
  random: Random,
): Promise<void> {
  for (let n = 0; scene.isOpen(); n++) {
    const own = random.next() < 0.5;
    const dryRun = random.next() < 0.05;
    const refused = random.next() < 0.1;
    const records = random.next() < 0.4 ? BATCH_RECORDS : 1;
    const ids = Array.from({ length: records }, (_, i) => `${name}-${n}-${i}`);
    // A score of 101 is refused, and with it its whole batch.
    const data = ids.map((id, i) => audit(own || refused ? id : undefined, refused && i === 0 ? 101 : 50));
    await carryOut(scene, dryRun ? tokens.sandbox : tokens.live, {
      resource: 'audits',
      kind: 'create',
      ids: own || refused ? ids : [],
      records,
      dryRun,
      path: records === 1 ? '/v1/audits' : '/v1/audits/batch',
      options: {
        method: 'POST',
        idempotencyKey: `${name}-${n}`,
        body: records === 1 ? (data[0] ?? {}) : { data },
      },
    });
  }
}

/** Creates content items, gives them new titles and deletes most of them, one after the other. */
export async function writeContent(
  scene: Scene,
  name: string,
  token: NamedToken,
  random: Random,
): Promise<void> {
  for (let n = 0; scene.isOpen(); n++) {
    const id = `${name}-${n}`;
    const common = { resource: 'content', ids: [id], records: 1, dryRun: false } as const;
    await carryOut(scene, token, {
      ...common,
      kind: 'create',
      title: 'first',
      path: '/v1/content',
      options: { method: 'POST', idempotencyKey: id, body: { id, companyId: COMPANY, title: 'first' } },
    });
    for (let version = 0; version < 3; version++) {
      const title = `version ${version}`;
      const options = { method: 'PATCH', body: { title } };
      await carryOut(scene, token, { ...common, kind: 'patch', title, path: `/v1/content/${id}`, options });
    }
    if (random.next() < 0.3) continue;
    await carryOut(scene, token, {
      ...common,
      kind: 'delete',
      path: `/v1/content/${id}`,
      options: { method: 'DELETE' },
    });
  }
}
