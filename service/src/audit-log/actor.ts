import type { RequestOrigin } from '../http/request.ts';

/** A request of a person in the dashboard. */
export interface PersonContext extends RequestOrigin {
  /** E-mail address; null while nobody is signed in. */
  readonly actor: string | null;
}

/** The operator's command line, which has no person and no request. */
interface OperatorContext {
  readonly actor: null;
}

/** Who acts, and from where. Every change that the audit log records takes one. */
export type ActorContext = PersonContext | OperatorContext;

export const OPERATOR: ActorContext = { actor: null };
