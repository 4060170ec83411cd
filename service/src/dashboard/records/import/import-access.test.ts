import { PassThrough } from 'node:stream';
import { waitFor } from '@svc/embedded-postgres/testing';
import type { AnyErrorCode } from '@svc/sdk/contract';
import { expect, test } from 'vitest';
import { expectFailure } from '../../../../test/harness/answers.ts';
import { BATCH_RECORDS } from '../../../bulk/batches.ts';
import { createImportWorld, importsOf, load, type Owner } from './imports.fixture.ts';

const { pool, ownerOnBoth, namesOf } = await createImportWorld();

type Ending = (owner: Owner) => Promise<unknown>;
const ENDINGS: Readonly<Record<string, readonly [AnyErrorCode, Ending]>> = {
  'the workspace is deleted': [
    'not_found',
    ({ send, workspaceId }) => send('DELETE', `/workspaces/${workspaceId}`, { name: 'Test' }),
  ],
  'the person signs out': ['not_signed_in', ({ send }) => send('POST', '/auth/sign-out', {})],
  'the session expires': [
    'not_signed_in',
    ({ userId }) => pool.query('update sessions set expires_at = now() where user_id = $1', [userId]),
  ],
  'the person loses the membership': [
    'not_found',
    ({ workspaceId }) => pool.query('delete from members where workspace_id = $1', [workspaceId]),
  ],
  'the workspace requires a second factor': [
    'second_factor_required',
    ({ workspaceId }) =>
      pool.query('update workspaces set second_factor_required = true where id = $1', [workspaceId]),
  ],
};

test.each(Object.entries(ENDINGS))(
  'an import writes nothing more after %s, and tells that it has written',
  async (_, [code, ending]) => {
    const { owner } = await ownerOnBoth();
    const file = new PassThrough();
    const answer = load(owner, importsOf(owner), 'ended', file);
    const batch = '{"name":"Acme"}\n'.repeat(BATCH_RECORDS);
    file.write(batch);
    await waitFor(async () => expect(await namesOf(owner)).toHaveLength(BATCH_RECORDS));
    await ending(owner);
    file.end(batch);
    const refusal = await answer;
    expectFailure(refusal, code);
    expect(refusal.headers['records-written']).toBe('true');
    expect(await namesOf(owner)).toHaveLength(BATCH_RECORDS);
  },
);
