import type { Link, Response } from '@svc/openapi/types';
import fc from 'fast-check';
import { COMPANY } from '../harness/lists.ts';
import type { TestAnswer } from '../harness/service.ts';
import type { WriteWorld } from '../writes/world.ts';
import {
  type DescribedOperation,
  type FuzzRequest,
  type Key,
  OPERATIONS,
  requestArbitrary,
} from './requests.ts';
import { type Ids, resolved } from './values.ts';

export interface FuzzOptions {
  readonly world: Pick<WriteWorld, 'service' | 'workspaceId'>;
  readonly seed: number;
  /** Whether to continue after so many requests, of which these operations have succeeded. */
  readonly goOn: (requests: number, succeeded: ReadonlyMap<string, number>) => boolean;
  /** Causes a fault during every n-th request. A response can be 503 only then and shortly afterwards. */
  readonly fault?: { readonly every: number; readonly inject: () => Promise<unknown> };
}

export interface FuzzReport {
  readonly requests: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Operations that succeeded, by their id, and how often. */
  readonly succeeded: ReadonlyMap<string, number>;
  /** Requests that followed a link. */
  readonly chained: number;
}

/** An operation with parameters from an earlier response. */
interface Step {
  readonly operationId: string;
  readonly parameters: Link['parameters'];
}

const STEPS_MAX = 200;
/** Of each list. Few, so that most of them still exist. */
const IDS_MAX = 10;
/** How many requests after a fault may get 503: each lane may have a broken connection that it has not noticed yet. */
const REFUSED_AFTER_MAX = 10;
const FIRST_ERROR = 400;
const INTERNAL_ERROR = 500;
const UNAVAILABLE = 503;

/**
 * Sends requests that the OpenAPI document describes, one after the other, and follows the links of the responses. The
 * harness checks each response against the document. Throws at the first violation, with everything to reproduce it.
 */
export async function fuzz({ world, seed, goOn, fault }: FuzzOptions): Promise<FuzzReport> {
  const tokens = await tokensOf(world);
  const steps: Step[] = [];
  const ids = new Map<string, Ids>();
  const statuses: Record<string, number> = {};
  const succeeded = new Map<string, number>();
  let [requests, chained] = [0, 0];
  for (; goOn(requests, succeeded); requests++) {
    const [choice = 0, place = 0] = fc.sample(fc.noBias(fc.nat()), { seed: seed + requests, numRuns: 2 });
    const step = choice % 2 === 0 ? steps.splice(place % Math.max(steps.length, 1), 1)[0] : undefined;
    const operation =
      OPERATIONS.find(({ operationId }) => operationId === step?.operationId) ??
      OPERATIONS[place % OPERATIONS.length];
    if (operation === undefined) throw new Error('the document has no operations');
    const arbitrary = requestArbitrary(operation, step?.parameters, idsFor(operation, ids));
    // The first value of a run is biased towards limits, so every second request is drawn without a bias.
    const drawn = requests % 2 === 0 ? arbitrary : fc.noBias(arbitrary);
    const [request] = fc.sample(drawn, { seed: seed + requests, numRuns: 1 });
    if (request === undefined) throw new Error('nothing was drawn');
    if (step !== undefined) chained += 1;
    const sinceFault =
      fault === undefined || requests + 1 < fault.every ? undefined : (requests + 1) % fault.every;
    const isFaulty = sinceFault === 0;
    const mayRefuse = sinceFault !== undefined && sinceFault <= REFUSED_AFTER_MAX;
    const where = `request ${requests} of seed ${seed}: ${JSON.stringify(request, (name, value) => (name === 'operation' ? undefined : value))}`;
    const answered = send(world, tokens, request);
    if (isFaulty) await fault?.inject();
    const answer = await answered.catch((error: unknown) => {
      throw new Error(where, { cause: error });
    });
    const problem = problemOf(request, answer, mayRefuse);
    if (problem !== undefined)
      throw new Error(`${problem}\n${where}\n${answer.status} ${answer.text.slice(0, 2_000)}`);
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer.status >= FIRST_ERROR) continue;
    succeeded.set(operation.operationId, (succeeded.get(operation.operationId) ?? 0) + 1);
    // A record of a dry run does not exist.
    if (answer.headers['dry-run'] === undefined) {
      steps.push(...stepsFrom(request, answer));
      remember(ids, request, answer);
    }
    steps.splice(0, steps.length - STEPS_MAX);
  }
  return { requests, statuses, succeeded, chained };
}

type Tokens = Readonly<Record<Key, string | null>>;

async function tokensOf({ service, workspaceId }: FuzzOptions['world']): Promise<Tokens> {
  const write = { access: 'write' } as const;
  return {
    live: await service.token(workspaceId, write),
    test: await service.token(workspaceId, { ...write, mode: 'test' }),
    reader: await service.token(workspaceId),
    company: await service.token(workspaceId, { ...write, companyId: COMPANY }),
    unknown: `svc_live_${'x'.repeat(32)}`,
    none: null,
  };
}

const send = (
  { service }: FuzzOptions['world'],
  tokens: Tokens,
  request: FuzzRequest,
): Promise<TestAnswer> => {
  const { key, url, headers, payload } = request;
  const method = request.method as 'GET';
  return service.request(tokens[key], url, {
    method,
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
};

function problemOf(
  { forbidden }: FuzzRequest,
  { status }: TestAnswer,
  mayRefuse: boolean,
): string | undefined {
  if (status === UNAVAILABLE) return mayRefuse ? undefined : 'it is unavailable without a reason';
  if (status >= INTERNAL_ERROR) return 'the service failed';
  if (status < FIRST_ERROR && forbidden.length > 0)
    return `it was accepted, although the document forbids ${forbidden.join(', ')}`;
  return undefined;
}

/** The operations that the links of the documented response lead to. */
function stepsFrom({ operation, url }: FuzzRequest, { status, text }: TestAnswer): readonly Step[] {
  const response = operation.responses[status];
  const { links = {} } = response === undefined ? {} : resolved<Response>(response);
  // A stream has no links, and its body is not one JSON value.
  if (text === '' || Object.keys(links).length === 0) return [];
  const body: unknown = JSON.parse(text);
  const query = new URL(url, 'http://svc.test').searchParams;
  return Object.values(links).flatMap(({ operationId, parameters }) => {
    const values = Object.entries(parameters).map(([name, expression]) => [
      name,
      evaluate(expression, body, query),
    ]);
    const given = values.filter((value): value is [string, string] => typeof value[1] === 'string');
    // Without an id or a cursor, the link leads nowhere.
    const leads = given.some(([name]) => name === 'id' || name === 'cursor');
    return leads ? [{ operationId, parameters: Object.fromEntries(given) }] : [];
  });
}

const listOf = (path: string): string => path.split('/')[2] ?? '';

/** The ids of the operation's list, or of all lists if it writes to several. */
const idsFor = ({ path }: DescribedOperation, ids: ReadonlyMap<string, Ids>): Ids =>
  ids.get(listOf(path)) ?? (path === '/v1/batch' ? [...ids.values()].flat() : []);

/** Remembers the ids of records that were listed or created, and forgets those that were deleted. */
function remember(ids: Map<string, Ids>, { method, url }: FuzzRequest, { headers, text }: TestAnswer): void {
  const list = listOf(url);
  const known = (ids.get(list) ?? []).filter((id) => method !== 'DELETE' || !url.includes(id));
  const isJson = String(headers['content-type']).startsWith('application/json') && text !== '';
  const body: unknown = isJson ? JSON.parse(text) : undefined;
  const records: readonly unknown[] = [body, ...[Object(body).data].flat()];
  const found = records.map((record) => Object(record).id).filter((id) => typeof id === 'string');
  const isList = method === 'GET' && found.length > 1;
  ids.set(list, [...new Set(isList ? found : [...known, ...found])].slice(-IDS_MAX));
}

const BODY = '$response.body#/';
const QUERY = '$request.query.';

/** The value of a runtime expression (OpenAPI 3.1, 4.8.20.4). */
function evaluate(expression: string, body: unknown, query: URLSearchParams): unknown {
  if (expression.startsWith(QUERY)) return query.get(expression.slice(QUERY.length)) ?? undefined;
  if (!expression.startsWith(BODY)) return expression;
  return expression
    .slice(BODY.length)
    .split('/')
    .reduce<unknown>((value, name) => Object(value)[name], body);
}
