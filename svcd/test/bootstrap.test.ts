import { findEmbedded } from '@svc/embedded-postgres';
import { dataDirectory } from '@svc/embedded-postgres/testing';
import { PASSWORD, signIn } from '@svc/service/harness/dashboard-http.ts';
import { runSvcd, startSvcd } from '@svc/service/harness/process.ts';
import { describe, expect, test } from 'vitest';

const dataDir = await dataDirectory();
const env = { SVC_DATA_DIR: dataDir };
const args = (email: string, workspace: string): readonly string[] => [
  'bootstrap',
  ...['--email', email, '--workspace', workspace, '--json'],
];

interface Made {
  readonly workspaceId: string;
  readonly email: string;
  readonly created: boolean;
}

async function bootstrap(email: string, workspace: string, input: string): Promise<Made> {
  const { code, stdout, stderr } = await runSvcd(args(email, workspace), { env, input });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Made;
}

describe('svcd bootstrap', () => {
  test('without a service, starts the database until it ends; a repeat adds a workspace for the same or another owner', async () => {
    const first = await bootstrap('owner@example.com', 'First', `${PASSWORD}\n`);
    expect(first).toMatchObject({ email: 'owner@example.com', created: true });
    expect(await findEmbedded(dataDir)).toBeUndefined();
    const second = await bootstrap('owner@example.com', 'Second', '');
    const other = await bootstrap('other@example.com', 'Third', PASSWORD);
    expect([second.created, other.created]).toEqual([false, true]);
    expect(new Set([first, second, other].map(({ workspaceId }) => workspaceId)).size).toBe(3);

    const service = await startSvcd(env);
    // The running service knows the new workspace without a restart.
    const fourth = await bootstrap('owner@example.com', 'Fourth', '');
    const owner = await signIn(service);
    for (const { workspaceId } of [first, second, fourth]) {
      expect((await owner.createKey(workspaceId)).token).toMatch(/^svc_live_/);
    }
    await expect(owner.createKey(other.workspaceId)).rejects.toThrow(/40[34]/);
    expect(service.stderr()).not.toContain('set up');
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  test('prints only the id without --json, and reads the password from SVC_OWNER_PASSWORD', async () => {
    const { code, stdout } = await runSvcd(args('third@example.com', 'Fifth').slice(0, -1), {
      env: { ...env, SVC_OWNER_PASSWORD: PASSWORD },
    });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^wks_[0-9a-z]{26}\n$/)]);
  });

  test.each([
    ['a password that is too short', 'new@example.com', 'short', /"password" must be 10 to 128 characters/],
    ['no password', 'new@example.com', '', /"password"/],
    ['no email address', 'nobody', PASSWORD, /"email"/],
  ])('refuses %s with code 2 and creates nothing', async (_, email, input, message) => {
    const { code, stdout, stderr } = await runSvcd(args(email, 'Sixth'), { env, input });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
  });
});
