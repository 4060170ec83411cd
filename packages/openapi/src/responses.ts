import { ERRORS, type ErrorCode, type JsonSchema } from '@svc/sdk/contract';
import { codesText, FAILURES, type Failure, statusOf } from './failures.ts';
import { ANSWER_HEADERS, CONDITIONAL_HEADERS, failureHeaders } from './headers.ts';
import { type Reference, type Response, reference } from './types.ts';

export interface Answer {
  readonly description: string;
  /** Name of the body's schema. */
  readonly schema: string;
  readonly example: JsonSchema;
  readonly links?: Response['links'];
}

export const success = (answer: Answer, headers: Response['headers']): Response => ({
  description: answer.description,
  headers,
  content: {
    'application/json': { schema: { ...reference('schemas', answer.schema) }, example: answer.example },
  },
  ...(answer.links === undefined ? {} : { links: answer.links }),
});

/** A response without an ETag. */
export const plainResponses = (answer: Answer): Readonly<Record<string, Response>> => ({
  200: success(answer, ANSWER_HEADERS),
});

/** A response with an ETag, and the 304 that replaces it if nothing has changed. */
export const conditionalResponses = (answer: Answer): Readonly<Record<string, Response | Reference>> => ({
  200: success(answer, CONDITIONAL_HEADERS),
  304: reference('responses', 'NotModified'),
});

export const failureResponses = (failures: readonly Failure[]): Readonly<Record<string, Reference>> =>
  Object.fromEntries(failures.map((failure) => [statusOf(failure), reference('responses', failure)]));

function failureResponse(failure: Failure): Response {
  const codes: readonly ErrorCode[] = FAILURES[failure];
  const examples = codes.map((code) => {
    const { meaning } = ERRORS[code];
    return [code, { summary: meaning, value: { error: { code, message: meaning } } }] as const;
  });
  return {
    description: codesText(codes),
    headers: failureHeaders(failure),
    content: {
      'application/json': {
        schema: { ...reference('schemas', 'ErrorEnvelope') },
        // One per possible code. The schema stays open, because codes may be added.
        examples: Object.fromEntries(examples),
      },
    },
  };
}

/** The responses that several operations share. */
export const sharedResponses = (): Readonly<Record<string, Response>> => ({
  NotModified: {
    description: 'Nothing has changed since the response with the ETag of `If-None-Match`. No body.',
    headers: CONDITIONAL_HEADERS,
  },
  ...Object.fromEntries(
    (Object.keys(FAILURES) as Failure[]).map((failure) => [failure, failureResponse(failure)]),
  ),
});
