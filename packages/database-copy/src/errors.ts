/** Why a database cannot be copied, or a backup not be restored. The message is for the operator. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}
