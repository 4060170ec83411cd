import type { Role } from '@svc/service/dashboard/permissions';

/** The roles to choose from. Only owners can choose owner. */
export const roleOptions = (own: Role) =>
  [
    { value: 'owner', label: 'Owner', disabled: own !== 'owner' },
    { value: 'admin', label: 'Admin', disabled: false },
    { value: 'viewer', label: 'Viewer', disabled: false },
  ] as const;
