import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuthenticatedKey } from '../keys/authenticate.ts';
import type { Caller } from './authentication.ts';

/**
 * The caller of a request that this process sends to itself, for a member who uses the dashboard's explorer. A request
 * from the network never has one, because nothing that it contains can set it (docs/decisions/0041).
 */
const running = new AsyncLocalStorage<Caller>();

/** A member, and what limits their requests below /v1. */
export interface Member extends Pick<AuthenticatedKey, 'workspaceId' | 'access' | 'burstLimit'> {
  readonly userId: string;
}

/**
 * Runs work whose requests below /v1 the member sends. Like those with a test key, they use no quota and have no audit
 * entry, and writes are dry runs.
 */
export function asMember<T>({ userId, ...member }: Member, work: () => PromiseLike<T>): Promise<T> {
  const key = { ...member, keyId: `member ${userId}`, mode: 'test', companyId: null } as const;
  const caller: Caller = {
    key: { ...key, tokenVersion: 0, allowsAddress: null },
    burst: null,
    addressAllowed: true,
    isMember: true,
    forget: () => undefined,
    readAgain: () => undefined,
  };
  // Awaited here: an injected request begins when its result is awaited.
  return running.run(caller, async () => await work());
}

/** The caller of the running request. Undefined: it needs a key. */
export const memberCaller = (): Caller | undefined => running.getStore();
