/** Why a file cannot be imported or exported at all. The message is for the person who asked for it. */
export class BulkError extends Error {
  override readonly name = 'BulkError';
}
