import type { Time } from '@svc/sdk';
import type { Role } from '../auth/permissions.ts';

/** The bodies of responses about people and the workspaces that they had. */

/** `GET /set-up`. Also without a session. */
export interface SetUpState {
  /** Whether the service has an owner. Before, only its set-up link opens it. */
  readonly done: boolean;
}

/** `DELETE /workspaces/{id}`. `POST /workspaces/{id}/restore` has no response body. */
export interface DeletedWorkspace {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** From then on, its data is removed. Until then, an owner can restore it. */
  readonly removedAt: Time;
}

export interface Member {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: Time;
  /** Only for owners and admins. Null: the person has never signed in. */
  readonly lastSignedInAt?: Time | null;
  /** Only for owners and admins: whether the person has a second factor. */
  readonly secondFactor?: boolean;
}
