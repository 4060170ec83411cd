import { BATCH_MAX_OPERATIONS, isId, NEW_ID_ALLOWED } from '@svc/sdk/contract';
import type pg from 'pg';
import { ApiError, errorAt, invalidBody } from '../../http/errors.ts';
import { canonicalTarget } from '../../http/request.ts';
import type { Scope } from '../../list/read.ts';
import type { Resource } from '../../resources/define.ts';
import { type Answer, complete, createRecord, type RecordWrite } from '../create.ts';
import type { Conditions } from '../lock.ts';
import { patchRecord, removeRecord } from '../mutations.ts';
import { putRecord } from '../put.ts';
import { pointerTo } from '../validate.ts';
import { requireData } from './body.ts';

/** A write of a batch as its request has it. */
interface Operation {
  readonly method: string;
  readonly resource: Resource;
  /** Empty: the path is that of the list. */
  readonly id: string;
  readonly body: unknown;
  readonly conditions: Conditions;
}

const FIELDS = ['method', 'path', 'body', 'ifMatch', 'ifNoneMatch'];
const ON_LISTS = ['POST'];
const ON_RECORDS = ['PUT', 'PATCH', 'DELETE'];
const ON_IMMUTABLE_RECORDS = ['PUT'];

/**
 * Validates a batch of writes to any of the resources and returns the write that carries out all of them, in order, or none.
 * Each one finds what those before it have written. Throws what the writes throw; messages name the index.
 */
export function runOperations(resources: readonly Resource[], scope: Scope, body: unknown): RecordWrite {
  const data = requireData(body, BATCH_MAX_OPERATIONS, 'operations', 'operations');
  const writes = data.map((value, index) => {
    const pointer = `/operations/${index}`;
    const operation = requireOperation(resources, value, pointer);
    return at(pointer, () => writeOf(operation, scope));
  });
  return {
    start: async (client: pg.ClientBase) => {
      const answers: Answer[] = [];
      const recordIds = new Set<string>();
      for (const [index, write] of writes.entries()) {
        const result = await at(`/operations/${index}`, () => complete(write, client));
        answers.push(result.answer);
        for (const id of result.recordIds) recordIds.add(id);
      }
      const answer = { status: 200, headers: {}, body: `{"data":[${answers.map(itemOf).join(',\n')}]}` };
      return { result: { answer, recordIds: [...recordIds] }, finish: () => [] };
    },
  };
}

const itemOf = ({ status, body }: Answer): string =>
  body === '' ? `{"status":${status}}` : `{"status":${status},"body":${body}}`;

function writeOf(operation: Operation, scope: Scope): RecordWrite {
  const { method, resource, id, body, conditions } = operation;
  if (method === 'POST') return createRecord(resource, scope, body);
  if (method === 'PUT') return putRecord(resource, scope, id, body, conditions);
  if (method === 'PATCH') return patchRecord(resource, scope, id, body, conditions);
  return removeRecord(resource, scope, id, conditions);
}

/** Runs a part of the batch. A refusal gets the pointer of the part; fields are those of its body. */
function at<Result>(pointer: string, run: () => Result): Result {
  const located = (error: unknown): never => {
    throw error instanceof ApiError ? errorAt(pointer, error, `${pointer}/body`) : error;
  };
  try {
    const result = run();
    return result instanceof Promise ? (result.catch(located) as Result) : result;
  } catch (error) {
    return located(error);
  }
}

/** One operation of the request. Throws `invalid_body`. */
function requireOperation(resources: readonly Resource[], value: unknown, pointer: string): Operation {
  const refuse = (field: string, reason: string): ApiError =>
    invalidBody([{ field: `${pointer}${field}`, reason }]);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse('', 'must be a JSON object');
  const unknown = Object.keys(value).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined)
    throw refuse(pointerTo(unknown), `is not a field here; allowed: ${FIELDS.join(', ')}`);
  const { method, path, body, ifMatch, ifNoneMatch } = value as Readonly<Record<string, unknown>>;
  // String() throws if an object has a `toString` that is no function.
  const text = typeof path === 'string' && path.startsWith('/') ? canonicalTarget(path) : '';
  const [, name, id = ''] = /^\/v1\/([^/?#]+)(?:\/([^/?#]+))?$/.exec(text) ?? [];
  const resource = resources.find((each) => each.writable && each.name === name);
  if (resource === undefined) {
    const paths = resources.filter(({ writable }) => writable).map((each) => each.path);
    throw refuse('/path', `must be ${paths.join(', ')}, or the path of one of their records`);
  }
  const onRecords = resource.immutable ? ON_IMMUTABLE_RECORDS : ON_RECORDS;
  const methods = id === '' ? ON_LISTS : onRecords;
  if (typeof method !== 'string' || !methods.includes(method))
    throw refuse('/method', `must be ${methods.join(', ')} with this path`);
  if (method === 'PUT' && !isId(id)) throw refuse('/path', `must end with an id: ${NEW_ID_ALLOWED}`);
  const allowed = conditionsOf(method);
  for (const [header, condition] of Object.entries({ ifMatch, ifNoneMatch })) {
    if (condition === undefined) continue;
    if (!allowed.includes(header)) throw refuse(`/${header}`, `is not allowed with ${method}`);
    if (typeof condition !== 'string') throw refuse(`/${header}`, 'must be an ETag or *');
  }
  if (method === 'DELETE' && body !== undefined) throw refuse('/body', 'is not allowed with DELETE');
  return { method, resource, id, body, conditions: { ifMatch, ifNoneMatch } as Conditions };
}

function conditionsOf(method: string): readonly string[] {
  if (method === 'PUT') return ['ifMatch', 'ifNoneMatch'];
  return method === 'POST' ? [] : ['ifMatch'];
}
