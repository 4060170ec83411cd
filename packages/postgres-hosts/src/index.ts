export { askHosts, hostOf, NoPrimaryError, StandbyError } from './ask.ts';
export { clientOfPrimary } from './client.ts';
export { createPrimary, type Primary } from './primary.ts';
export { HostsError, isThisMachine, splitHosts, urlAt } from './urls.ts';
