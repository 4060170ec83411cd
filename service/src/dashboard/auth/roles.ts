import { createAccessControl } from 'better-auth/plugins/access';
import { ACTIONS, PERMISSIONS, type Role } from './permissions.ts';

export { allows, type Permission, ROLE_NAMES, type Role } from './permissions.ts';

const control = createAccessControl(ACTIONS);

/** The table of permissions as better-auth asks for it. */
export const ROLES = {
  owner: control.newRole(PERMISSIONS.owner),
  admin: control.newRole(PERMISSIONS.admin),
  viewer: control.newRole(PERMISSIONS.viewer),
} satisfies Record<Role, unknown>;
