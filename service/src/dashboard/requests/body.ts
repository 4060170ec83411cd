import { ID_ALLOWED, ID_PATTERN } from '@svc/sdk/contract';
import { Ajv, type ErrorObject } from 'ajv';
import type { FastifyInstance } from 'fastify';
import { type Static, type TProperties, Type } from 'typebox';
import { ApiError } from '../../http/errors.ts';
import { jsonText } from '../../http/json-body.ts';
import {
  EMAIL_MAX_CHARACTERS,
  NAME_MAX_CHARACTERS,
  PASSWORD_MAX_CHARACTERS,
  PASSWORD_MIN_CHARACTERS,
} from '../limits.ts';

/** The escape of U+0000 after an even number of backslashes. PostgreSQL's text cannot hold U+0000. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/;

/** Parses the bodies of the scope as JSON. An empty body is allowed if no field is required. */
export function parseJsonBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null);
    const text = jsonText(request.headers['content-type'], body);
    if (NUL.test(text)) {
      return done(new ApiError('invalid_body', 'The request body must not contain the character U+0000.'));
    }
    return parse(request, text, done);
  });
}

const ajv = new Ajv({ strict: true });
// Says in words what a field allows. Without it, the error would show the pattern of the schema.
ajv.addKeyword('allowed');

/**
 * Defines a request body: an object with only these fields. Returns a function that checks a parsed body. It throws
 * `invalid_body`, with the name of the field, if the body does not match.
 */
export function defineBody<Fields extends TProperties>(fields: Fields) {
  const schema = Type.Object(fields, { additionalProperties: false });
  const validate = ajv.compile<Static<typeof schema>>(schema);
  return (body: unknown): Static<typeof schema> => {
    const given = body ?? {};
    if (validate(given)) return given;
    throw new ApiError('invalid_body', messageOf(validate.errors, fields));
  };
}

/** A body without fields, or none. */
export const emptyBody = defineBody({});

/** One line of text that is not blank and has no control characters and no half of a character (a lone surrogate). */
export const name = Type.String({
  minLength: 1,
  maxLength: NAME_MAX_CHARACTERS,
  pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$',
  allowed: `1 to ${NAME_MAX_CHARACTERS} characters on one line, not blank`,
});

/** Exactly what better-auth accepts at sign-in. With any other address, the account could not be signed in to. */
export const email = Type.String({
  maxLength: EMAIL_MAX_CHARACTERS,
  pattern:
    "^(?!\\.)(?!.*\\.\\.)[A-Za-z0-9_'+\\-.]*[A-Za-z0-9_+\\-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
  allowed: `an email address of at most ${EMAIL_MAX_CHARACTERS} characters, such as ada@example.com`,
});

export const newPassword = Type.String({
  minLength: PASSWORD_MIN_CHARACTERS,
  maxLength: PASSWORD_MAX_CHARACTERS,
  allowed: `${PASSWORD_MIN_CHARACTERS} to ${PASSWORD_MAX_CHARACTERS} characters`,
});

/** Any text up to a maximum length: a person's input, or the token of a link. */
export const text = Type.String({ maxLength: 1024, allowed: 'text of at most 1024 characters' });

export const flag = Type.Boolean({ allowed: 'true or false' });

export const idOrNull = Type.Union([Type.String({ pattern: ID_PATTERN }), Type.Null()], {
  allowed: `an id (${ID_ALLOWED}), or null`,
});

export const integerOrNull = (minimum: number, maximum: number) =>
  Type.Union([Type.Integer({ minimum, maximum }), Type.Null()], {
    allowed: `an integer from ${minimum} to ${maximum}, or null`,
  });

export const oneOf = <const V extends string>(values: readonly V[]) =>
  Type.Enum([...values], { allowed: `one of ${values.join(', ')}` });

function messageOf(errors: readonly ErrorObject[] | null | undefined, fields: TProperties): string {
  const error = errors?.at(-1);
  const missing = error?.params['missingProperty'];
  if (typeof missing === 'string') return `"${missing}" is missing; it must be ${allowed(fields[missing])}.`;
  const unknown = error?.params['additionalProperty'];
  if (typeof unknown === 'string') {
    const names = Object.keys(fields);
    const known = names.length === 0 ? 'This body has no fields.' : `Allowed: ${names.join(', ')}.`;
    return `Unknown field ${JSON.stringify(unknown.slice(0, NAME_MAX_CHARACTERS))}. ${known}`;
  }
  const field = error?.instancePath.slice(1) ?? '';
  return field === '' ? 'The body must be a JSON object.' : `"${field}" must be ${allowed(fields[field])}.`;
}

const allowed = (field: object | undefined): string =>
  field !== undefined && 'allowed' in field ? String(field.allowed) : 'as documented';
