import { PASSWORD, type Visitor } from '../harness/dashboard.ts';
import { member, type Prepare, type World, workspaceOf } from './change.ts';
import { finish, goToProvider } from './openid.ts';

/** Adds a person with the address of the visitor to the provider; returns the subject. */
function addPerson({ provider }: World, { userId, email }: Pick<Visitor, 'userId' | 'email'>): string {
  provider.people.set(userId, { sub: userId, email, email_verified: true });
  return userId;
}

/** An owner whose account is connected to the provider. */
async function connected(world: World) {
  const { owner, workspaceId } = await workspaceOf(world);
  const subject = addPerson(world, owner);
  const returned = await goToProvider(owner.send, world.provider, subject, { password: PASSWORD });
  const answer = await finish(owner.send, { ...returned, cookie: `${owner.cookie}; ${returned.cookie}` });
  if (answer.status !== 200) throw new Error(answer.text);
  return { owner, workspaceId, subject };
}

/** Requests that sign in with the OpenID Connect provider, or connect an account to it. */
export const OPENID_CHANGES: Readonly<Record<string, Prepare>> = {
  'POST /auth/openid/start': async (world) => {
    const { workspaceId } = await workspaceOf(world);
    const { nobody } = world.dashboard;
    return { as: nobody, workspaceId, path: '/auth/openid/start', body: { next: '/account' }, entries: [] };
  },
  'POST /auth/openid/finish': async (world) => {
    const { owner, workspaceId, subject } = await connected(world);
    const { nobody } = world.dashboard;
    const { answer, cookie } = await goToProvider(nobody.send, world.provider, subject);
    return {
      as: nobody,
      workspaceId,
      path: '/auth/openid/finish',
      body: answer,
      options: { headers: { cookie } },
      actor: owner.email,
      entries: [{ kind: 'session.signed_in', ...member(owner), details: { method: 'openid' } }],
    };
  },
  'POST /auth/openid/connect': async (world) => {
    const { owner, workspaceId } = await workspaceOf(world);
    return {
      as: owner,
      workspaceId,
      path: '/auth/openid/connect',
      body: { password: PASSWORD },
      entries: [],
    };
  },
  'POST /auth/openid/disconnect': async (world) => {
    const { owner, workspaceId } = await connected(world);
    return {
      as: owner,
      workspaceId,
      path: '/auth/openid/disconnect',
      body: { password: PASSWORD },
      entries: [{ kind: 'account.provider_disconnected', ...member(owner) }],
    };
  },
};
