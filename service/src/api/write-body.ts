import { BATCH_MAX_RECORDS } from '../config/limits.ts';
import { type FieldFailure, INVALID_BODY_FAILURES_MAX, invalidBody } from '../http/errors.ts';
import type { RecordInput } from '../records/row.ts';
import { pointerTo, type ValidationMode, validateRecord } from '../records/validate.ts';
import type { Resource } from '../resources/define.ts';

/** One record of a body; `at` is its JSON pointer in the body, empty for the body itself. */
export function recordBody(resource: Resource, body: unknown, mode: ValidationMode): RecordInput {
  const result = validateRecord(resource, body, mode);
  if (result.ok) return result.input;
  throw invalidBody(result.failures);
}

/** The records of `{"data": […]}`; a failure's pointer begins with the record's index. */
export function batchBody(resource: Resource, body: unknown): readonly RecordInput[] {
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
  if (!Array.isArray(data) || data.length === 0 || data.length > BATCH_MAX_RECORDS) {
    throw invalidBody([{ field: '/data', reason: `must be an array of 1 to ${BATCH_MAX_RECORDS} records` }]);
  }
  const unknown = Object.keys(body ?? {}).find((name) => name !== 'data');
  if (unknown !== undefined)
    throw invalidBody([{ field: pointerTo(unknown), reason: 'is not a field here; allowed: data' }]);
  const failures: FieldFailure[] = [];
  const inputs: RecordInput[] = [];
  for (const [index, value] of data.entries()) {
    const result = validateRecord(resource, value, 'create');
    if (result.ok) inputs.push(result.input);
    else
      for (const { field, reason } of result.failures)
        failures.push({ field: `/data/${index}${field}`, reason });
    if (failures.length > INVALID_BODY_FAILURES_MAX) break;
  }
  if (failures.length > 0) throw invalidBody(failures);
  return inputs;
}
