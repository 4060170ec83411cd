import { type AnyErrorCode, ERRORS } from '@svc/sdk/contract';
import { expect } from 'vitest';
import type { TestAnswer } from './service.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Expects this failure in the error envelope. Its message must contain each of the texts. */
export function expectFailure(answer: TestAnswer, code: AnyErrorCode, ...texts: readonly string[]): void {
  const { status, headers, text } = answer;
  expect({ status, text }).toEqual({
    status: ERRORS[code].status,
    text: expect.stringContaining(`"${code}"`),
  });
  expect(answer.json()).toEqual({ error: { code, message: expect.any(String) } });
  const { error } = answer.json<{ error: { message: string } }>();
  for (const part of texts) expect(error.message).toContain(part);
  expect(headers['content-type']).toBe(JSON_TYPE);
  expect(headers['request-id']).toEqual(expect.stringMatching(/^[\w.:-]{1,128}$/));
}
