import type { RequestOrigin } from '../http/request.ts';

/** A request of a person in the dashboard. */
export interface PersonContext extends RequestOrigin {
  /** Email address. Null: nobody is signed in. */
  readonly actor: string | null;
}

/** The operator's command line, or the service by itself: without a person and a request. */
interface OperatorContext {
  readonly actor: null;
}

/** Who makes a change, and from where, for the audit log. */
export type ActorContext = PersonContext | OperatorContext;

export const OPERATOR: ActorContext = { actor: null };
