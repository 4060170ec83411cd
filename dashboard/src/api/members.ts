import type { Role } from '@svc/service/dashboard/permissions';
import type { Invitation, IssuedInvitation, IssuedResetLink, Member } from '@svc/service/dashboard/wire';
import { queryOptions } from '@tanstack/react-query';
import { call, ofWorkspace } from './client.ts';

export const membersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'members'],
    queryFn: ({ signal }) =>
      call<{ readonly data: readonly Member[] }>(ofWorkspace(workspaceId, '/members'), { signal }),
  });

/** Invitations that can still be accepted. Only for people who may invite. */
export const invitationsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'invitations'],
    queryFn: ({ signal }) =>
      call<{ readonly data: readonly Invitation[] }>(ofWorkspace(workspaceId, '/invitations'), { signal }),
  });

export const changeRole = (workspaceId: string, memberId: string, role: Role): Promise<Member> =>
  call(ofWorkspace(workspaceId, `/members/${memberId}`), { method: 'PATCH', body: { role } });

export const removeMember = (workspaceId: string, memberId: string): Promise<void> =>
  call(ofWorkspace(workspaceId, `/members/${memberId}`), { method: 'DELETE' });

/** Removes the signed-in person, also if the workspace requires a second factor that they do not have. */
export const leaveWorkspace = (workspaceId: string): Promise<void> => removeMember(workspaceId, 'me');

export const createResetLink = (workspaceId: string, memberId: string): Promise<IssuedResetLink> =>
  call(ofWorkspace(workspaceId, `/members/${memberId}/password-reset`), { method: 'POST', body: {} });

export const invite = (
  workspaceId: string,
  invited: { readonly email: string; readonly role: Role },
  idempotencyKey: string,
): Promise<IssuedInvitation> =>
  call(ofWorkspace(workspaceId, '/invitations'), { method: 'POST', body: invited, idempotencyKey });

export const withdrawInvitation = (workspaceId: string, invitationId: string): Promise<void> =>
  call(ofWorkspace(workspaceId, `/invitations/${invitationId}`), { method: 'DELETE' });
