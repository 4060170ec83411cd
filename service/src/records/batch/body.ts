import { BATCH_MAX_RECORDS } from '@svc/sdk/contract';
import { type FieldFailure, INVALID_BODY_FAILURES_MAX, invalidBody } from '../../http/errors.ts';
import { pointerTo, type Validation } from '../validate.ts';

/** The array in the body of a batch, `{"data": […]}`. Throws `invalid_body`. */
export function requireData(
  body: unknown,
  max = BATCH_MAX_RECORDS,
  name = 'data',
  items = 'records',
): readonly unknown[] {
  const data: unknown = Object(body)[name];
  if (!Array.isArray(data) || data.length === 0 || data.length > max) {
    throw invalidBody([{ field: `/${name}`, reason: `must be an array of 1 to ${max} ${items}` }]);
  }
  const unknown = Object.keys(Object(body)).find((key) => key !== name);
  if (unknown !== undefined)
    throw invalidBody([{ field: pointerTo(unknown), reason: `is not a field here; allowed: ${name}` }]);
  return data;
}

/** The inputs of a batch. The pointer of a failure begins with the index of its input. Throws `invalid_body`. */
export function requireEach<Input>(
  data: readonly unknown[],
  check: (value: unknown, index: number) => Validation<Input>,
): readonly Input[] {
  const failures: FieldFailure[] = [];
  const inputs: Input[] = [];
  for (const [index, value] of data.entries()) {
    const result = check(value, index);
    if (result.ok) inputs.push(result.input);
    else
      for (const { field, reason } of result.failures)
        failures.push({ field: `/data/${index}${field}`, reason });
    if (failures.length > INVALID_BODY_FAILURES_MAX) break;
  }
  if (failures.length > 0) throw invalidBody(failures);
  return inputs;
}
