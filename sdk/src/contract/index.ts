/**
 * The contract between the service and its clients: data without dependencies, and types inferred from it. Validation,
 * routes, OpenAPI, import and export, the SDK, the command lines and the dashboard all derive from this folder.
 */
export type { AuditLogEntryOfAnyKind } from './audit-log-entry.ts';
export * from './audit-log-kinds.ts';
export type { ChangeOf } from './changes.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './field.ts';
export * from './id.ts';
export * from './json-schema.ts';
export * from './limits.ts';
export * from './list-query.ts';
export * from './me.ts';
export * from './methods.ts';
export * from './resource.ts';
export * from './resources.ts';
export * from './token.ts';
export * from './workspace-events.ts';
