import { createAccessControl } from 'better-auth/plugins/access';

/** What each role may do: the one table, for better-auth's own checks and for ours. Reading is open to every member. */

const ACTIONS = {
  member: ['update', 'delete'],
  invitation: ['create', 'cancel'],
  key: ['manage'],
  workspace: ['rename'],
  quota: ['set'],
} as const;

const control = createAccessControl(ACTIONS);

const admin = {
  member: ['update', 'delete'],
  invitation: ['create', 'cancel'],
  key: ['manage'],
  workspace: ['rename'],
} as const;

export const ROLE_NAMES = ['owner', 'admin', 'viewer'] as const;
export type Role = (typeof ROLE_NAMES)[number];

export const ROLES = {
  owner: control.newRole({ ...admin, quota: ['set'] }),
  admin: control.newRole(admin),
  viewer: control.newRole({}),
} satisfies Record<Role, unknown>;

/** An action on something in a workspace, such as `key.manage`. */
export type Permission = {
  [Subject in keyof typeof ACTIONS]: `${Subject}.${(typeof ACTIONS)[Subject][number]}`;
}[keyof typeof ACTIONS];

export function allows(role: Role, permission: Permission): boolean {
  const [subject = '', action = ''] = permission.split('.');
  return ROLES[role].authorize({ [subject]: [action] }).success;
}
