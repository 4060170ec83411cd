import type { AnyErrorCode } from '@svc/sdk/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SealedKind } from '../../src/config/secrets.ts';
import { resealSecondFactors } from '../../src/dashboard/auth/sealed-factors.ts';
import { createInvitationLink, createSignInLink } from '../../src/dashboard/people/links.ts';
import { inTransaction } from '../../src/database/pool.ts';
import { companies } from '../../src/resources/index.ts';
import { expectFailure } from '../harness/answers.ts';
import {
  createTestDashboard,
  newEmail,
  PASSWORD,
  PUBLIC_URL,
  sessionCookie,
  tokenOf,
  type Visitor,
} from '../harness/dashboard.ts';
import { seedRecords } from '../harness/records.ts';
import { createTestService, TEST_SECRET, type TestAnswer, type TestService } from '../harness/service.ts';
import { totpCode } from '../harness/totp.ts';

const OLD = TEST_SECRET;
const NEW = 'a newer secret of the tests, 32 characters or more';

const old = await createTestService({ secrets: [OLD] });
const { database, clock, pool } = old;
const prepared = await createTestService({ database, clock, secrets: [OLD, NEW] });
const rotated = await createTestService({ database, clock, secrets: [NEW, OLD] });
const done = await createTestService({ database, clock, secrets: [NEW] });

const dashboard = createTestDashboard(old);
let addresses = 0;
const seenCookies = new Set<string>();

/** A request to a node's dashboard, from an address of its own. */
async function send(node: TestService, path: string, body?: object, cookie = ''): Promise<TestAnswer> {
  const options = { remoteAddress: `10.4.0.${++addresses}`, headers: { cookie } };
  const method = body === undefined ? 'GET' : 'POST';
  const answer = await createTestDashboard(node).nobody.send(method, path, body, options);
  for (const [name, pair] of cookiesOf(answer)) if (!pair.endsWith('=')) seenCookies.add(name);
  return answer;
}

const cookiesOf = ({ headers }: TestAnswer): ReadonlyMap<string, string> =>
  new Map(
    [headers['set-cookie'] ?? []].flat().map((text) => {
      const [pair = ''] = String(text).split(';');
      return [pair.slice(0, pair.indexOf('=')), pair];
    }),
  );
const signIn = (node: TestService, email: string, rememberMe = true): Promise<TestAnswer> =>
  send(node, '/auth/sign-in/email', { email, password: PASSWORD, rememberMe });

interface Protected {
  readonly owner: Visitor;
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

/** Somebody who set up a second factor at the node with the old secret. */
async function withSecondFactor(): Promise<Protected> {
  const owner = await dashboard.owner();
  const enabled = await send(old, '/auth/two-factor/enable', { password: PASSWORD }, owner.cookie);
  const { totpURI, backupCodes } = enabled.json<{ totpURI: string; backupCodes: string[] }>();
  const code = totpCode(totpURI);
  expect((await send(old, '/auth/two-factor/verify-totp', { code }, owner.cookie)).status).toBe(200);
  return { owner, totpURI, backupCodes };
}

/** The second step at a node, after a password that was entered there. */
async function secondStep(node: TestService, { owner, totpURI }: Protected, backupCode?: string) {
  const cookie = cookiesOf(await signIn(node, owner.email)).get('svc.two_factor');
  await pool.query('update second_factors set last_used_step = null');
  return backupCode === undefined
    ? send(node, '/auth/two-factor/verify-totp', { code: totpCode(totpURI) }, cookie)
    : send(node, '/auth/two-factor/verify-backup-code', { code: backupCode }, cookie);
}

interface Kind<Value> {
  /** Made by the node that has the old secret only. */
  readonly make: () => Promise<Value>;
  /** Answered with 200 by a node that can open it. */
  readonly use: (node: TestService, value: Value) => Promise<TestAnswer>;
  /** What a node without its secret answers. */
  readonly refusal: AnyErrorCode;
  /** How it comes to depend on the new secret only; undefined: it expires first. */
  readonly move: ((value: Value) => Promise<Value>) | undefined;
}
const kind = <Value>(definition: Kind<Value>): Kind<unknown> => definition as Kind<unknown>;

const reseal = async <Value>(value: Value): Promise<Value> => {
  await resealSecondFactors(pool, [NEW, OLD]);
  return value;
};
const listed = (node: TestService, token: string, cursor = '') =>
  node.request(token, `/v1/companies?limit=1${cursor}`);

/** One case for every kind of value that depends on a secret: the compiler asks for those that are missing. */
const KINDS: Readonly<Record<SealedKind, Kind<unknown>>> = {
  'API key': kind({
    make: async () => old.token(await old.workspace()),
    use: listed,
    refusal: 'invalid_key',
    move: async (token) => {
      await listed(rotated, token);
      return token;
    },
  }),
  cursor: kind({
    make: async () => {
      const workspaceId = await old.workspace();
      await seedRecords(pool, workspaceId, companies, [
        { id: 'com_1', createdAt: '2026-03-01T09:30:00Z' },
        { id: 'com_2', createdAt: '2026-03-01T09:30:01Z' },
      ]);
      const first = await listed(old, await old.token(workspaceId));
      const { pagination } = first.json<{ pagination: { nextCursor: string } }>();
      return { workspaceId, cursor: `&cursor=${pagination.nextCursor}` };
    },
    // With a key of the node, so that only the cursor is tried.
    use: async (node, { workspaceId, cursor }) => listed(node, await node.token(workspaceId), cursor),
    refusal: 'invalid_cursor',
    move: undefined,
  }),
  'session cookie': kind({
    make: async () => sessionCookie(await signIn(old, (await dashboard.bootstrap()).email)) ?? '',
    use: (node, cookie) => send(node, '/me', undefined, cookie),
    refusal: 'not_signed_in',
    move: async (cookie) => sessionCookie(await send(rotated, '/me', undefined, cookie)) ?? 'not set',
  }),
  'cookie of a session that ends with the browser': kind({
    make: async () => {
      const answer = await signIn(old, (await dashboard.bootstrap()).email, false);
      await pool.query(`update sessions set expires_at = now() + interval '5 days'`);
      return [...cookiesOf(answer).values()].join('; ');
    },
    use: async (node, cookies) => {
      const answer = await send(node, '/me', undefined, cookies);
      expect(cookies).toContain('svc.dont_remember=');
      // A session that the browser is to keep would be moved on at this age, with a Max-Age.
      expect(String(answer.headers['set-cookie'])).not.toMatch(/session_token=[^,]*Max-Age/);
      return answer;
    },
    refusal: 'not_signed_in',
    move: async (cookies) =>
      [...cookiesOf(await send(rotated, '/me', undefined, cookies)).values()].join('; '),
  }),
  'cookie of the second step': kind({
    make: async () => {
      const person = await withSecondFactor();
      const cookie = cookiesOf(await signIn(old, person.owner.email)).get('svc.two_factor');
      await pool.query('update second_factors set last_used_step = null');
      return { ...person, cookie };
    },
    use: (node, { totpURI, cookie }) =>
      send(node, '/auth/two-factor/verify-totp', { code: totpCode(totpURI) }, cookie),
    refusal: 'not_signed_in',
    move: undefined,
  }),
  'cookie of a known device': kind({
    make: async () => {
      const { email } = await dashboard.bootstrap();
      return { email, cookie: cookiesOf(await signIn(old, email)).get('svc.device') };
    },
    use: async (node, { email, cookie }) => {
      await pool.query('delete from sign_in_attempts');
      await signIn(old, email);
      await pool.query('update sign_in_attempts set attempts = 1000');
      return send(node, '/auth/sign-in/email', { email, password: PASSWORD }, cookie);
    },
    refusal: 'rate_limited',
    move: async ({ email, cookie }) => {
      const answer = await send(rotated, '/auth/sign-in/email', { email, password: PASSWORD }, cookie);
      return { email, cookie: cookiesOf(answer).get('svc.device') };
    },
  }),
  'authenticator secret': kind({
    make: withSecondFactor,
    use: (node, person) => secondStep(node, person),
    refusal: 'conflict',
    move: reseal,
  }),
  'backup codes': kind({
    make: async () => {
      const person = await withSecondFactor();
      let used = 0;
      return { person, next: () => person.backupCodes[used++] };
    },
    use: (node, { person, next }) => secondStep(node, person, next()),
    refusal: 'conflict',
    move: reseal,
  }),
};

beforeEach(async () => {
  await pool.query('delete from second_factors; delete from sign_in_attempts');
});

describe.each(Object.entries(KINDS))('a value of the kind "%s"', (_, { make, use, refusal }) => {
  test('works while its secret is listed, in whichever place', async () => {
    for (const node of [old, prepared, rotated]) expect((await use(node, await make())).status).toBe(200);
  });

  test('is refused with a sentence, never with a 500, when its secret is gone', async () => {
    expectFailure(await use(done, await make()), refusal);
  });
});

const MOVING = Object.entries(KINDS).flatMap(([name, { make, use, move }]) =>
  move === undefined ? [] : [{ name, make, use, move }],
);

test.each(MOVING)(
  'a value of the kind "$name" works with the new secret only, once it has moved',
  async (moving) => {
    const moved = await moving.move(await moving.make());
    expect((await moving.use(done, moved)).status).toBe(200);
  },
);

describe('a second factor that release 0.1.0 has sealed', () => {
  /** It wrote version 1, whatever the secret was. */
  const asRelease = () =>
    pool.query(
      `update second_factors set secret = regexp_replace(secret, '^\\$ba\\$\\d+', '$ba$1'),
        backup_codes = regexp_replace(backup_codes, '^\\$ba\\$\\d+', '$ba$1')`,
    );

  test('opens under every secret that is listed, also before a job has sealed it again', async () => {
    for (const node of [old, prepared, rotated]) {
      const person = await withSecondFactor();
      await asRelease();
      expect((await secondStep(node, person)).status).toBe(200);
      await asRelease();
      expect((await secondStep(node, person, person.backupCodes[0])).status).toBe(200);
    }
  });

  test('is sealed with the new secret by the job, and works without the old one', async () => {
    const person = await withSecondFactor();
    await asRelease();
    expect(await resealSecondFactors(pool, [NEW, OLD])).toBe(1);
    expect(await resealSecondFactors(pool, [NEW, OLD])).toBe(0);
    expect((await secondStep(done, person)).status).toBe(200);
    expect((await secondStep(done, person, person.backupCodes[0])).status).toBe(200);
  });

  test('that no secret opens stays as it is, and is told of in a sentence', async () => {
    const person = await withSecondFactor();
    await asRelease();
    const read = async () => (await pool.query('select secret, backup_codes from second_factors')).rows;
    const before = await read();
    expect(await resealSecondFactors(pool, [NEW])).toBe(0);
    const refused = await secondStep(done, person);
    expectFailure(refused, 'conflict');
    expect(refused.text).toContain('svcd user reset-second-factor');
    expect(await read()).toEqual(before);
  });
});

describe('one-time links', () => {
  test('depend on no secret: they work after a rotation', async () => {
    const owner = await dashboard.owner();
    const signInLink = await createSignInLink({ pool, publicUrl: PUBLIC_URL, userId: owner.userId });
    expect((await send(done, '/sign-in-link', { token: tokenOf(signInLink) })).status).toBe(200);
    await pool.query(
      `insert into invitations (workspace_id, id, email, role, status, inviter_id, expires_at, created_at)
       values ($1, 'inv_rotation', $2, 'viewer', 'pending', $3, now() + interval '1 day', now())`,
      [owner.workspaceId, newEmail(), owner.userId],
    );
    const link = await inTransaction(pool, (client) =>
      createInvitationLink(client, PUBLIC_URL, 'inv_rotation'),
    );
    expect((await send(done, '/invitations/read', { token: tokenOf(link) })).status).toBe(200);
  });
});

describe('the list of kinds is whole', () => {
  test('no other column holds what better-auth has encrypted, and no other cookie is set', async () => {
    await withSecondFactor();
    const { rows: columns } = await pool.query<{ table: string; column: string }>(
      `select table_name as table, column_name as column from information_schema.columns
       where table_schema = 'public' and data_type = 'text'
         and table_name in (select table_name from information_schema.tables where table_type = 'BASE TABLE')`,
    );
    const sealed: string[] = [];
    for (const { table, column } of columns) {
      const { rowCount } = await pool.query(
        `select 1 from "${table}" where "${column}" like '$ba$%' limit 1`,
      );
      if (rowCount !== 0) sealed.push(`${table}.${column}`);
    }
    expect(sealed.toSorted()).toEqual(['second_factors.backup_codes', 'second_factors.secret']);
    expect([...seenCookies].toSorted().join(' ')).toBe(
      'svc.device svc.dont_remember svc.session_token svc.two_factor',
    );
  });
});
