import { type CompleteResource, comparedFields, rangesOf } from '@svc/sdk/contract';
import {
  deleteOperationId,
  getOperationId,
  listOperationId,
  putOperationId,
  updateOperationId,
} from './names.ts';
import type { Link } from './types.ts';

/** Links from a response to operations that use its values. */

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

/** Links to the pages before and after a page, and to its first record. A cursor needs the same query, without its limit. */
export function listLinks(resource: CompleteResource): Links {
  const compared = [...Object.keys(comparedFields(resource)), ...Object.keys(rangesOf(resource))];
  const same = resource.sorts === undefined ? compared : ['sort', ...compared];
  const page = (description: string, parameters: Link['parameters']): Link => ({
    operationId: listOperationId(resource),
    parameters: {
      ...parameters,
      ...Object.fromEntries(same.map((name) => [name, `$request.query.${name}`])),
    },
    description,
  });
  return {
    NextPage: page('The next page in the same direction, unless `nextCursor` is null.', {
      cursor: '$response.body#/pagination/nextCursor',
      direction: '$request.query.direction',
    }),
    NewerItems: page('The items before this page. In a newest-first list, they are newer.', {
      cursor: '$response.body#/pagination/startCursor',
      direction: 'before',
    }),
    ...recordLinks(resource, '$response.body#/data/0/id', 'First'),
  };
}
