/** The permissions of each role, for the endpoints, the pages and better-auth. Every member may read. */

export const ACTIONS = {
  member: ['update', 'delete'],
  account: ['recover'],
  invitation: ['create', 'cancel'],
  key: ['manage'],
  workspace: ['rename'],
  security: ['set'],
  deletion: ['manage'],
  quota: ['set'],
  record: ['change', 'import'],
  webhook: ['manage'],
} as const;

const admin = {
  member: ['update', 'delete'],
  invitation: ['create', 'cancel'],
  key: ['manage'],
  workspace: ['rename'],
  record: ['change', 'import'],
  webhook: ['manage'],
} as const;

export const ROLE_NAMES = ['owner', 'admin', 'viewer'] as const;
export type Role = (typeof ROLE_NAMES)[number];

export const PERMISSIONS = {
  owner: { ...admin, account: ['recover'], quota: ['set'], security: ['set'], deletion: ['manage'] },
  admin,
  viewer: {},
} as const satisfies Readonly<
  Record<Role, { readonly [Subject in keyof typeof ACTIONS]?: (typeof ACTIONS)[Subject] }>
>;

/** An action on a part of a workspace, such as `key.manage`. */
export type Permission = {
  [Subject in keyof typeof ACTIONS]: `${Subject}.${(typeof ACTIONS)[Subject][number]}`;
}[keyof typeof ACTIONS];

export function allows(role: Role, permission: Permission): boolean {
  const [subject = '', action = ''] = permission.split('.');
  const granted: Readonly<Record<string, readonly string[]>> = PERMISSIONS[role];
  return granted[subject]?.includes(action) ?? false;
}
