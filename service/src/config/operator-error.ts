/** Why something cannot be done, in words for the operator: what, where, what to do about it. Shown without a stack. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}
