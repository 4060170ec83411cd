import { OperatorError } from '@svc/service/config/errors';

/** Arguments that do not fit together. The command ends with the exit code of wrong arguments. */
export class MisuseError extends OperatorError {
  override readonly name = 'MisuseError';
}
