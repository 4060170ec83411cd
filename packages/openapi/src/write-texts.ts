import type { CompleteResource, JsonSchema } from '@svc/sdk/contract';
import { type RequestBody, reference } from './types.ts';

/** What the operations that write have in common. */

export const BYTES_PER_MIB = 1024 * 1024;
const JSON_TYPES = ['application/json'] as const;
export const PATCH_TYPES = ['application/json', 'application/merge-patch+json'] as const;

export const body = (
  description: string,
  schema: string,
  example: JsonSchema,
  types: readonly string[] = JSON_TYPES,
): RequestBody => ({
  required: true,
  description,
  content: Object.fromEntries(
    types.map((type) => [type, { schema: { ...reference('schemas', schema) }, example }]),
  ),
});

export const writeScopeText = ({ company }: CompleteResource): string =>
  company === 'id'
    ? 'A key that is limited to one company can change that company, and cannot create others.'
    : 'A key that is limited to one company can write only the records of that company.';

export const ACCESS = `Needs a key with write access. A write with a test key is a dry run (\`Dry-Run: true\`): it is executed and rolled back, and gets the response of a real write.`;

export const deletionText = ({ company }: CompleteResource): string =>
  company === 'id'
    ? ' A company that has records or API keys is refused with `conflict`. A company with audits can never be deleted.'
    : '';

/** What a body that replaces a record means for the fields that it leaves out. */
export const defaultsText = ({ optional }: CompleteResource): string =>
  optional.length === 0 ? '' : ' A field that is left out gets its default.';

export const movesText = ({ transitions }: CompleteResource): string => {
  if (transitions === undefined) return '';
  const moves = Object.entries(transitions.moves).map(([from, to]) => `\`${from}\` to ${list(to)}`);
  return ` \`${transitions.field}\` can only change like this: ${moves.join('; ')}. Any other change is refused with \`invalid_transition\`.`;
};

const list = (names: readonly string[]): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names.map((name) => `\`${name}\``));
