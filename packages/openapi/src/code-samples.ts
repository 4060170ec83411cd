import { ME_PATH } from '@svc/sdk/contract';
import {
  type CodeSample,
  isStream,
  type Operation,
  type Parameter,
  type PathItem,
  type Reference,
} from './types.ts';

/** A call of an operation in a sample. */
interface Call {
  readonly method: string;
  /** With an id instead of `{id}`, and a query. */
  readonly path: string;
  /** The client's property for the resource: `auditLog`. */
  readonly collection: string;
  readonly id: string;
  /** The rest after the path of the resource: '', '/count', '/batch' or '/{id}'. `/me`: the path has no resource. */
  readonly below: string;
  readonly body: unknown;
}

const SAMPLE_QUERIES: Readonly<Record<string, string>> = { '': '?limit=10', '/count': '?approximate=true' };

/** Adds samples to every operation whose response has an end. They run unchanged if SVC_BASE_URL and SVC_API_KEY are set. */
export const withCodeSamples = (
  paths: Readonly<Record<string, PathItem>>,
): Readonly<Record<string, PathItem>> =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          isStream(operation)
            ? operation
            : { ...operation, 'x-codeSamples': samplesOf(callOf(method, path, operation)) },
        ]),
      ),
    ]),
  );

function callOf(method: string, path: string, operation: Operation): Call {
  const [, name = '', rest = ''] = /^\/v1\/([^/]+)(.*)$/.exec(path) ?? [];
  // The paths that are not of a resource.
  const below = path === '/v1/batch' ? path : path === ME_PATH ? '/me' : rest;
  const id = exampleId(operation.parameters);
  return {
    method: method.toUpperCase(),
    path: path.replace('{id}', id) + (method === 'get' ? (SAMPLE_QUERIES[below] ?? '') : ''),
    collection: name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    id,
    below,
    body: Object.values(operation.requestBody?.content ?? {})[0]?.example,
  };
}

function exampleId(parameters: readonly (Parameter | Reference)[]): string {
  const id = parameters.find(
    (parameter): parameter is Parameter => 'in' in parameter && parameter.in === 'path',
  );
  const examples = id?.schema['examples'];
  return Array.isArray(examples) ? String(examples[0]) : '';
}

const samplesOf = (call: Call): readonly CodeSample[] => [
  { lang: 'Shell', label: 'curl', source: curl(call) },
  { lang: 'TypeScript', label: 'TypeScript', source: typescript(call) },
  { lang: 'Python', label: 'Python', source: python(call) },
];

const INDENT = 2;
const isRepeatable = ({ method }: Call): boolean => method === 'POST' || method === 'PUT';

function curl(call: Call): string {
  const { method, path, body } = call;
  const text = JSON.stringify(body, null, INDENT);
  return [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} "$SVC_BASE_URL${path}"`,
    '-H "Authorization: Bearer $SVC_API_KEY"',
    ...(isRepeatable(call) ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    // In single quotes, the shell interprets nothing except the quote itself.
    ...(text === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${text.replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ');
}

/** JSON as a JavaScript literal, in the usual style. */
const literal = (value: unknown): string =>
  JSON.stringify(value, null, INDENT)
    .replace(/^(\s*)"([A-Za-z]\w*)":/gm, '$1$2:')
    .replace(/"([^"'\\]*)"/g, "'$1'");

/** The statements for the client library, by the method and the rest of the path. */
const STATEMENTS: Readonly<Record<string, (call: Call) => string>> = {
  'GET ': ({ collection }) =>
    `for await (const record of svc.${collection}.list()) {\n  console.log(record);\n}`,
  'GET /count': ({ collection }) =>
    `const { count } = await svc.${collection}.count({ approximate: true });\nconsole.log(count);`,
  'GET /me': () => 'const { key, quota } = await svc.me();\nconsole.log(key.name, quota);',
  'GET /export': ({ collection }) =>
    `for await (const record of svc.${collection}.export()) {\n  console.log(record);\n}`,
  'GET /{id}': ({ collection, id }) =>
    `const record = await svc.${collection}.get('${id}');\nconsole.log(record);`,
  'POST ': ({ collection, body }) =>
    `const record = await svc.${collection}.create(${literal(body)});\nconsole.log(record.id);`,
  'POST /batch': ({ collection, body }) =>
    `const records = await svc.${collection}.createMany(${literal(Object(body)['data'])});\nconsole.log(records.length);`,
  'PATCH /batch': ({ collection, body }) =>
    `const records = await svc.${collection}.updateMany(${literal(Object(body)['data'])});\nconsole.log(records.length);`,
  'POST /batch/delete': ({ collection, body }) =>
    `await svc.${collection}.deleteMany(${literal(Object(body)['data'].map(({ id }: { id: string }) => id))});`,
  'POST /v1/batch': ({ body }) =>
    `const results = await svc.batch(${literal(Object(body)['operations'])});\nconsole.log(results.map(({ status }) => status));`,
  'PUT /{id}': ({ collection, id, body }) =>
    `const record = await svc.${collection}.upsert('${id}', ${literal(body)});\nconsole.log(record);`,
  'PATCH /{id}': ({ collection, id, body }) =>
    `const record = await svc.${collection}.update('${id}', ${literal(body)});\nconsole.log(record);`,
  'DELETE /{id}': ({ collection, id }) => `await svc.${collection}.delete('${id}');`,
};

function typescript(call: Call): string {
  const name = `${call.method} ${call.below}`;
  const statement = STATEMENTS[name];
  if (statement === undefined) throw new Error(`The client library has no method for ${name}.`);
  return `import { Svc } from '@svc/sdk';\n\nconst svc = new Svc(); // SVC_BASE_URL, SVC_API_KEY\n${statement(call)}`;
}

const PYTHON_INDENT = 4;
const PYTHON_WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** JSON as a Python literal. */
const pythonLiteral = (value: unknown): string =>
  JSON.stringify(value, null, PYTHON_INDENT)
    .replace(
      /(: |^\s*)(true|false|null)(?=,?$)/gm,
      (_, before: string, word: string) => before + PYTHON_WORDS[word],
    )
    .replaceAll('\n', `\n${' '.repeat(PYTHON_INDENT)}`);

function python(call: Call): string {
  const { method, path, below, body } = call;
  const isEmpty = method === 'DELETE' || below === '/batch/delete';
  const printed = below === '/export' ? 'response.read().decode()' : 'json.load(response)';
  const imports = ['json', 'os', 'urllib.request', ...(isRepeatable(call) ? ['uuid'] : [])];
  const headers = [
    '"Authorization": "Bearer " + os.environ["SVC_API_KEY"],',
    ...(isRepeatable(call) ? ['"Idempotency-Key": str(uuid.uuid4()),'] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json",']),
  ];
  return [
    `import ${(method === 'DELETE' ? imports.slice(1) : imports).join(', ')}`,
    '',
    'request = urllib.request.Request(',
    `    os.environ["SVC_BASE_URL"] + "${path}",`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    '    headers={',
    ...headers.map((header) => `        ${header}`),
    '    },',
    ...(body === undefined ? [] : [`    data=json.dumps(${pythonLiteral(body)}).encode(),`]),
    ')',
    'with urllib.request.urlopen(request) as response:',
    isEmpty ? '    print(response.status)' : `    print(${printed})`,
  ].join('\n');
}
