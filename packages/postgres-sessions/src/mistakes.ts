import { takeOptions } from './options.ts';

/** What is wrong with the settings of a pooler, one sentence each. `read` returns a setting, undefined if it is empty. */
export function poolerMistakes(read: (name: string) => string | undefined): readonly string[] {
  if (read('SVC_DATABASE_POOLER') !== 'transaction')
    return read('SVC_DATABASE_DIRECT_URL') === undefined
      ? []
      : ['SVC_DATABASE_DIRECT_URL is used only with SVC_DATABASE_POOLER=transaction: set both or none.'];
  const missing = ['SVC_DATABASE_URL', 'SVC_DATABASE_DIRECT_URL']
    .filter((name) => read(name) === undefined)
    .map((name) => `${name} must be set if SVC_DATABASE_POOLER is transaction.`);
  const { options } = takeOptions(read('SVC_DATABASE_URL') ?? '');
  if (options === '') return missing;
  return [
    ...missing,
    'SVC_DATABASE_URL must have no options if SVC_DATABASE_POOLER is transaction: set them for the role (alter role … set).',
  ];
}
