export { answeringClient } from './answering-client.ts';
export { askConsole } from './console.ts';
export { rightsMistake, serverMistake, UnsuitableDatabaseError } from './database.ts';
export { poolerMistakes } from './mistakes.ts';
export { takeOptions, withVerifiedTls } from './options.ts';
export {
  explainRefusal,
  explainRefusalAt,
  PoolerError,
  requireDirect,
  requirePooled,
  tooOld,
} from './pooler.ts';
export { FIXED_SETTINGS, type SessionLimits, startupOptions } from './settings.ts';
export { limitTransactions, transactionSettings } from './transactions.ts';
