export {
  type CopiedRecord,
  type CopiedResource,
  type CopyOptions,
  type CopyStore,
  copyChanges,
} from './changes/copy.ts';
export { ChangeStream, type ChangeStreamOptions } from './changes/stream.ts';
export { ChangeTail, type ChangeTailOptions } from './changes/tail.ts';
export { type RequestAnswer, type RequestOptions, Svc } from './client.ts';
export { etagOf } from './collection/etag.ts';
export { BatchProgress } from './collection/progress.ts';
export type {
  BatchOptions,
  ChangeOptions,
  Collection,
  Counting,
  Creating,
  Deleting,
  Exporting,
  Following,
  ListOptions,
  Operation,
  OperationResult,
  PositionOptions,
  PostOptions,
  Reading,
  Selecting,
  SelectingExport,
  Selection,
  Tailing,
  Updating,
  Upserting,
  UpsertOptions,
} from './collection/types.ts';
export { AUDIT_LOG_KINDS, AUDIT_LOG_TARGET_TYPES, type AuditLogKindDeclaration } from './contract/index.ts';
export * from './errors.ts';
export type { Fetch, FetchAnswer, FetchInit, FetchOptions } from './http/fetch.ts';
export type { HeadersInput } from './http/headers.ts';
export type { ApiKeyProvider } from './http/keys.ts';
export type { LogDetails, Logger, LogLevel } from './http/log.ts';
export type {
  ApiPromise,
  RateLimit,
  ResponseInfo,
  WithResponse,
  WithResponses,
} from './http/response.ts';
export type { Timing } from './http/retry.ts';
export type { CallOptions, RetryEvent } from './http/transport.ts';
export type { RestartEvent } from './list/iterate.ts';
export { List } from './list/list.ts';
export type { Page } from './list/page.ts';
export type { SvcOptions } from './options.ts';
export {
  type FieldName,
  type Filters,
  type Item,
  type ItemChange,
  type NewItem,
  RESOURCES,
  type Resource,
  type Resources,
  type Selected,
  type Sort,
} from './resource.ts';
export { Tail, type TailOptions } from './tail/tail.ts';
export { VERSION } from './version.ts';
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
} from './webhooks.ts';
export type * from './wire.ts';
