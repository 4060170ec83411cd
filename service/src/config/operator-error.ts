/** An expected failure, with a message for the operator: what failed, where, and what to do. Shown without a stack. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}
