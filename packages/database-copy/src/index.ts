// Copies all tables of a PostgreSQL database as one stream, and back, also between major versions. The package knows no
// table by name: the caller creates the schema, and says what the details of a backup are.

export { digestBackup, requireSameRows } from './digest.ts';
export { CopyError } from './errors.ts';
export { type BackupContents, readBackup } from './read.ts';
export type { Details } from './stream/parts.ts';
export { writeBackup } from './write.ts';
