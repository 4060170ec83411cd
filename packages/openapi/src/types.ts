import { API_METHODS, type ApiMethod, type JsonSchema } from '@svc/sdk/contract';

/** The parts of an OpenAPI 3.1 document that this package creates. */

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  /** Default: false. A path parameter must have it. */
  readonly required?: true;
  readonly description: string;
  /** With `explode: false`, an array is one value, with a comma between its items. */
  readonly style?: 'form';
  readonly explode?: false;
  readonly schema: JsonSchema;
}

export interface Header {
  readonly description: string;
  /** Whether every response that lists the header has it. */
  readonly required: boolean;
  readonly schema: JsonSchema;
}

interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example>>;
}

/** An operation that uses values of a response. The values are runtime expressions such as `$response.body#/id`. */
export interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly description: string;
}

/** The media type of server-sent events. */
export const EVENT_STREAM = 'text/event-stream';
/** The media type of lines of JSON. */
export const NDJSON = 'application/x-ndjson';

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  /** Absent: the response has no body. */
  readonly content?:
    | { readonly 'application/json': MediaType }
    | { readonly [EVENT_STREAM]: MediaType }
    | { readonly [NDJSON]: MediaType };
  readonly links?: Readonly<Record<string, Link>>;
}

export interface RequestBody {
  readonly required: true;
  readonly description: string;
  /** By media type. */
  readonly content: Readonly<Record<string, MediaType>>;
}

/** How to call an operation in one language, in the form that OpenAPI tools show. */
export interface CodeSample {
  readonly lang: 'Shell' | 'TypeScript' | 'Python';
  readonly label: string;
  readonly source: string;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly (Parameter | Reference)[];
  /** Absent: the request has no body. */
  readonly requestBody?: RequestBody;
  /** By status. */
  readonly responses: Readonly<Record<string, Response | Reference>>;
  /** How to call it, in several languages. */
  readonly 'x-codeSamples'?: readonly CodeSample[];
}

/** A request that the service sends to a receiver. */
export interface Webhook {
  /** `security` is empty: the receiver verifies a signature instead. */
  readonly post: Operation & { readonly security: readonly [] };
}

export type Method = Lowercase<ApiMethod>;
export const METHODS = API_METHODS.map((method) => method.toLowerCase() as Method);

/** The operations of a path by their method. */
export type PathItem = Readonly<Partial<Record<Method, Operation>>>;

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly {
    readonly name: string;
    /** For people: `API keys`. */
    readonly 'x-displayName': string;
    readonly description: string;
  }[];
  readonly externalDocs: { readonly description: string; readonly url: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  /** By the type of their event. */
  readonly webhooks: Readonly<Record<string, Webhook>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

type ComponentKind = keyof OpenApiDocument['components'];

export const reference = (kind: ComponentKind, name: string): Reference => ({
  $ref: `#/components/${kind}/${name}`,
});

/** Whether the operation responds with a stream, which has no end. */
export const isStream = ({ responses }: Pick<Operation, 'responses'>): boolean => {
  const success = responses['200'];
  return success !== undefined && 'content' in success && EVENT_STREAM in Object(success.content);
};
