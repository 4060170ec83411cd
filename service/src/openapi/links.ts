import type { Resource } from '../resources/define.ts';
import { deleteOperationId, getOperationId, listOperationId, updateOperationId } from './names.ts';
import type { Link } from './types.ts';

/** What can be done next with what an answer holds. */

type Links = Readonly<Record<string, Link>>;

/** What can be done with a record whose id stands at `id`, a runtime expression; names end in `suffix`. */
export function recordLinks(resource: Resource, id = '$response.body#/id', suffix = ''): Links {
  const { singular, writable, immutable } = resource;
  const to = (operationId: string, verb: string): readonly [string, Link] => [
    `${verb}${suffix}`,
    { operationId, parameters: { id }, description: `${verb} the ${singular}.` },
  ];
  return Object.fromEntries([
    to(getOperationId(resource), 'Get'),
    ...(!writable || immutable
      ? []
      : [to(updateOperationId(resource), 'Change'), to(deleteOperationId(resource), 'Delete')]),
  ]);
}

/** The pages next to a page, and its first record. The cursor goes with the same filters and sort. */
export function listLinks(resource: Resource): Links {
  const { list } = resource;
  const same = [...(list.sortable ? ['sort'] : []), ...Object.keys(list.filters)];
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
    NewerItems: page(
      'What comes before this page in the order of the list, such as what was created since.',
      {
        cursor: '$response.body#/pagination/startCursor',
        direction: 'before',
      },
    ),
    ...recordLinks(resource, '$response.body#/data/0/id', 'First'),
  };
}
