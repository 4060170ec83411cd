import {
  CONTRACT,
  type CompleteResource,
  capitalized,
  completeResource,
  ME_PATH,
  TOKEN_PREFIXES,
  TOKEN_RANDOM_CHARACTERS,
} from '@svc/sdk/contract';
import { BATCH_TAG, batchSchemas, operationsOperation } from './batch-operations.ts';
import { withCodeSamples } from './code-samples.ts';
import { HEADERS } from './headers.ts';
import {
  countOperation,
  exportOperation,
  getOperation,
  listOperation,
  meOperation,
  streamOperation,
} from './operations.ts';
import { PARAMETERS } from './parameters.ts';
import { sharedResponses } from './responses.ts';
import { schemas } from './schemas.ts';
import type { OpenApiDocument, PathItem } from './types.ts';
import { WEBHOOK_PARAMETERS, webhooks } from './webhooks.ts';
import { writeOperations } from './write-operations.ts';
import { writeSchemas } from './write-schemas.ts';

/** This package describes the API to programs. It derives the whole document from the contract. */

export interface DocumentOptions {
  /** Where clients reach the service, without a slash at the end. */
  readonly publicUrl: string;
  readonly version: string;
}

const RESOURCES = Object.values(CONTRACT).map(completeResource);
const WRITTEN = RESOURCES.filter(({ writable }) => writable);
const READ_ONLY = RESOURCES.filter(({ writable }) => !writable);
const namesOf = (resources: readonly CompleteResource[]): string =>
  new Intl.ListFormat('en-GB').format(resources.map(({ plural }) => plural));

const DESCRIPTION = `Read and write the ${namesOf(WRITTEN)} of a workspace, and read its ${namesOf(READ_ONLY)}.

Every request needs the header \`Authorization: Bearer <API key>\` and works on the data of the key's workspace. Responses are JSON, and every failure has the same envelope with a code. \`HEAD\` gets the response of \`GET\` without the body. Any other method gets 405 \`method_not_allowed\`, and an unknown path gets 404 \`not_found\`. Fields, error codes and kinds of audit-log entries are added within \`/v1\`, never changed or removed: ignore the ones that you do not know. Times are UTC and have 0, 3 or 6 fractional digits: compare them as times, not as text.`;

const SECURITY_SCHEME = 'apiKey';

const SECURITY_DESCRIPTION = `A key of the workspace, created in the dashboard: a prefix and ${TOKEN_RANDOM_CHARACTERS} URL-safe random characters. \`${TOKEN_PREFIXES.live}\` is a live key: its requests count towards the live quota and are recorded in the audit log. \`${TOKEN_PREFIXES.test}\` is a test key: its requests are neither counted nor recorded, and its writes are dry runs. A key has read or write access and may be limited to one company. Never put it into a URL.`;

const documents = new Map<string, OpenApiDocument>();

/** Returns the OpenAPI 3.1 document of `/v1`. The same options return the same object, which must not be changed. */
export function openApiDocument({ publicUrl, version }: DocumentOptions): OpenApiDocument {
  const name = JSON.stringify([publicUrl, version]);
  let document = documents.get(name);
  if (document === undefined) {
    document = build(publicUrl, version);
    documents.set(name, document);
  }
  return document;
}

function build(publicUrl: string, version: string): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'svc',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ [SECURITY_SCHEME]: [] }],
    tags: [
      ...RESOURCES.map((resource) => ({
        name: resource.name,
        'x-displayName': capitalized(resource.plural),
        description: resource.description,
      })),
      {
        name: BATCH_TAG,
        'x-displayName': 'Batches',
        description: 'Writes to several resources in one transaction.',
      },
    ],
    externalDocs: { description: 'Guides', url: `${publicUrl}/docs/quickstart` },
    paths: withCodeSamples(paths()),
    webhooks: webhooks(RESOURCES, completeResource(CONTRACT.changes)),
    components: {
      securitySchemes: {
        [SECURITY_SCHEME]: { type: 'http', scheme: 'bearer', description: SECURITY_DESCRIPTION },
      },
      parameters: { ...PARAMETERS, ...WEBHOOK_PARAMETERS },
      headers: HEADERS,
      responses: sharedResponses(),
      schemas: {
        ...schemas(RESOURCES),
        ...Object.fromEntries(WRITTEN.flatMap(writeSchemas)),
        ...batchSchemas(WRITTEN),
      },
    },
  };
}

function paths(): Readonly<Record<string, PathItem>> {
  const all = RESOURCES.flatMap((resource): readonly (readonly [string, PathItem])[] => {
    const { path } = resource;
    const writes = writeOperations(resource);
    return [
      [path, { get: listOperation(resource), ...writes[''] }],
      ...(resource.counted === true ? [[`${path}/count`, { get: countOperation(resource) }] as const] : []),
      ...(resource.positions ? [[`${path}/stream`, { get: streamOperation(resource) }] as const] : []),
      ...(resource.writable ? [[`${path}/export`, { get: exportOperation(resource) }] as const] : []),
      [`${path}/batch`, writes['/batch']],
      [`${path}/batch/delete`, writes['/batch/delete']],
      [`${path}/{id}`, { get: getOperation(resource), ...writes['/{id}'] }],
    ];
  });
  const others = {
    [ME_PATH]: { get: meOperation },
    '/v1/batch': { post: operationsOperation(WRITTEN) },
  };
  return { ...Object.fromEntries(all.filter(([, item]) => Object.keys(item).length > 0)), ...others };
}
