import {
  CONTRACT,
  type CompleteResource,
  EXPORTS_PER_WORKSPACE_MAX,
  ITEMS_PER_UNIT,
  oneOf,
  STREAM_HEARTBEAT_MS,
} from '@svc/sdk/contract';
import {
  COUNT_FAILURES,
  exportFailures,
  listFailures,
  ME_FAILURES,
  recordFailures,
  STREAM_FAILURES,
} from './failures.ts';
import { recordExample } from './fields.ts';
import { ANSWER_HEADERS } from './headers.ts';
import { listLinks, recordLinks } from './links.ts';
import {
  countOperationId,
  exportOperationId,
  getOperationId,
  listOperationId,
  listSchemaName,
  streamOperationId,
} from './names.ts';
import {
  CURSOR_LIFETIME_HOURS,
  countParameters,
  exportParameters,
  listParameters,
  recordParameters,
  streamParameters,
} from './parameters.ts';
import { conditionalResponses, failureResponses, plainResponses } from './responses.ts';
import { listExample, meExample } from './schemas.ts';
import { EVENT_STREAM, NDJSON, type Operation } from './types.ts';

const ITERATION = `Follow \`pagination.nextCursor\` until it is null. A cursor is opaque: do not parse it, construct it or keep it for longer than ${CURSOR_LIFETIME_HOURS} hours (\`cursor_expired\`). It is valid for this list with the same filters and sort (\`cursor_mismatch\`); \`limit\`, \`direction\` and \`fields\` may change from page to page. After either error, start again without a cursor. The same cursor sent twice returns the same page twice.

\`direction=before\` returns the items before the cursor, in the order of the list. \`startCursor\` and \`endCursor\` are the cursors before the first and after the last item of a page: send \`startCursor\` with \`direction=before\` to load the items before the page. In a newest-first list, these are newer items.

Filters are applied before pagination. An unknown or repeated query parameter is refused with \`invalid_parameter\`.`;

const readScopeText = ({ company, plural }: CompleteResource): string => {
  if (company === null)
    return `A key that is limited to one company cannot read ${plural} (\`insufficient_scope\`).`;
  return `A key that is limited to one company gets only ${company === 'id' ? 'that company' : 'the records of that company'}.`;
};

export function listOperation(resource: CompleteResource): Operation {
  const { plural } = resource;
  return {
    operationId: listOperationId(resource),
    tags: [resource.name],
    summary: `List ${plural}`,
    description: `Returns a page of ${plural}, newest first${resource.sorts !== undefined ? ' unless `sort` says otherwise' : ''}. ${readScopeText(resource)}\n\n${ITERATION}`,
    parameters: listParameters(resource),
    responses: {
      ...conditionalResponses({
        description: `A page of ${plural}.`,
        schema: listSchemaName(resource),
        example: listExample(resource),
        links: listLinks(resource),
      }),
      ...failureResponses(listFailures(resource)),
    },
  };
}

export function streamOperation(resource: CompleteResource): Operation {
  const { plural, singular } = resource;
  return {
    operationId: streamOperationId(resource),
    tags: [resource.name],
    summary: `Stream ${plural}`,
    description: `Sends ${plural} as server-sent events, as they are committed, without an end. The \`id\` of an event is the id of its ${singular}, \`event\` is its \`type\`, and \`data\` is the item of the list. If there is no change after the position at which the stream starts, the first event has only an id: that position. While nothing happens, a comment is sent every ${STREAM_HEARTBEAT_MS / 1000} seconds. ${readScopeText(resource)}

After a disconnect, continue with the id of the last event in \`Last-Event-ID\`. An event \`error\` ends the stream: its \`data\` is the error envelope, such as \`invalid_key\` after the key was revoked. The stream uses one unit of quota for each ${ITEMS_PER_UNIT} ${plural}, at least one.`,
    parameters: streamParameters(resource),
    responses: {
      200: {
        description: `Server-sent events.`,
        headers: ANSWER_HEADERS,
        content: {
          [EVENT_STREAM]: {
            schema: { type: 'string' },
            example: `id: ${resource.fields['id']?.example}\nevent: ${resource.fields['type']?.example}\ndata: {…}\n\n`,
          },
        },
      },
      ...failureResponses(STREAM_FAILURES),
    },
  };
}

export function exportOperation(resource: CompleteResource): Operation {
  const { plural } = resource;
  return {
    operationId: exportOperationId(resource),
    tags: [resource.name],
    summary: `Export ${plural}`,
    description: `Sends all ${plural} that the filters select, one JSON record per line, oldest first. ${readScopeText(resource)} Every record that exists from the beginning to the end of the export is sent exactly once. A record that is created, changed or deleted meanwhile may be sent or not, before or after the change. With \`Accept-Encoding: gzip\`, the lines are compressed. A line may be empty: skip it. It says that a search has found nothing for a while.

The export is one request with one entry in the audit log, and uses one unit of quota for each ${ITEMS_PER_UNIT} ${plural}, at least one. If it has to end early, for example because the quota is used up or the key was revoked, its last line is the error envelope. At most ${EXPORTS_PER_WORKSPACE_MAX} exports of a workspace run at the same time in a process of the service, otherwise \`rate_limited\`.`,
    parameters: exportParameters(resource),
    responses: {
      200: {
        description: 'One record per line.',
        headers: ANSWER_HEADERS,
        content: {
          [NDJSON]: {
            schema: { type: 'string' },
            example: `${JSON.stringify(recordExample(resource))}\n`,
          },
        },
      },
      ...failureResponses(exportFailures(resource)),
    },
  };
}

export function getOperation(resource: CompleteResource): Operation {
  return {
    operationId: getOperationId(resource),
    tags: [resource.name],
    summary: `Get ${oneOf(resource)}`,
    description: `Returns ${oneOf(resource)} by its id. ${readScopeText(resource)}`,
    parameters: recordParameters(resource),
    responses: {
      ...conditionalResponses({
        description: `The ${resource.singular}.`,
        schema: resource.type,
        example: recordExample(resource),
        links: recordLinks(resource),
      }),
      ...failureResponses(recordFailures(resource)),
    },
  };
}

export function countOperation(resource: CompleteResource): Operation {
  const { plural } = resource;
  return {
    operationId: countOperationId(resource),
    tags: [resource.name],
    summary: `Count ${plural}`,
    description: `Returns the number of ${plural} that the key can read. It is exact, also with \`approximate=true\`, and equally fast at any size.`,
    parameters: countParameters,
    responses: {
      ...plainResponses({
        description: 'The count.',
        schema: 'Count',
        example: { count: 2000, approximate: true },
      }),
      ...failureResponses(COUNT_FAILURES),
    },
  };
}

/** The key of the request. */
export const meOperation: Operation = {
  operationId: 'getMe',
  tags: [CONTRACT.apiKeys.name],
  summary: 'Get the API key of the request',
  description:
    'Returns the API key of the request, its workspace, and what limits it: access, company, burst limit and the live quota that is left. Every key can send it.',
  parameters: [],
  responses: {
    ...plainResponses({ description: 'The key.', schema: 'Me', example: meExample }),
    ...failureResponses(ME_FAILURES),
  },
};
