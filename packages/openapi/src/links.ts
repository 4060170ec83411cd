import { type CompleteResource, CREATED, comparedFields, rangesOf } from '@svc/sdk/contract';
import {
  deleteOperationId,
  getOperationId,
  listOperationId,
  putOperationId,
  updateOperationId,
} from './names.ts';
import type { Link } from './types.ts';

/** Links from a response to operations that use its values. */

/** The link of a list with positions to what follows the position of a page. */
const AFTER_POSITION = 'AfterPosition';

type Links = Readonly<Record<string, Link>>;

/** Links to the operations on a record. `id` is a runtime expression. The names of the links end with `suffix`. */
export function recordLinks(resource: CompleteResource, id = '$response.body#/id', suffix = ''): Links {
  const { singular, writable, immutable } = resource;
  const to = (operationId: string, verb: string): readonly [string, Link] => [
    `${verb}${suffix}`,
    { operationId, parameters: { id }, description: `${verb} the ${singular}.` },
  ];
  return Object.fromEntries([
    to(getOperationId(resource), 'Get'),
    ...(writable ? [to(putOperationId(resource), 'Put')] : []),
    ...(!writable || immutable
      ? []
      : [to(updateOperationId(resource), 'Change'), to(deleteOperationId(resource), 'Delete')]),
  ]);
}

/**
 * Links to the pages before and after a page, and to its first record. A cursor needs the same query, without its limit. A
 * page after a position has the ascending sort, which its query need not have, so this page has a link of its own.
 */
export function listLinks(resource: CompleteResource): Links {
  const compared = [...Object.keys(comparedFields(resource)), ...Object.keys(rangesOf(resource))];
  const sorted = resource.sorts === undefined ? compared : ['sort', ...compared];
  const link = (description: string, parameters: Link['parameters'], same: readonly string[]): Link => ({
    operationId: listOperationId(resource),
    parameters: {
      ...parameters,
      ...Object.fromEntries(same.map((name) => [name, `$request.query.${name}`])),
    },
    description,
  });
  const unless = resource.positions
    ? ` If the request had \`after\`, use \`${AFTER_POSITION}\` instead, or add \`sort=${CREATED}-ascending\`.`
    : '';
  return {
    NextPage: link(
      `The next page in the same direction, unless \`nextCursor\` is null.${unless}`,
      { cursor: '$response.body#/pagination/nextCursor', direction: '$request.query.direction' },
      sorted,
    ),
    NewerItems: link(
      `The items before this page. In a newest-first list, they are newer.${unless}`,
      { cursor: '$response.body#/pagination/startCursor', direction: 'before' },
      sorted,
    ),
    ...(resource.positions
      ? {
          [AFTER_POSITION]: link(
            `The ${resource.plural} after this page, also if there are none yet.`,
            { after: '$response.body#/pagination/position' },
            compared,
          ),
        }
      : {}),
    ...recordLinks(resource, '$response.body#/data/0/id', 'First'),
  };
}
