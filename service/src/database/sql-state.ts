/** The SQLSTATEs that mean something to us (PostgreSQL, appendix A). */
const SQL_STATES = {
  unique_violation: '23505',
  foreign_key_violation: '23503',
  lock_not_available: '55P03',
} as const;

/** Whether a statement failed for this reason. */
export const failedFor = (error: unknown, reason: keyof typeof SQL_STATES): boolean =>
  error instanceof Error && 'code' in error && error.code === SQL_STATES[reason];
