import { type Field, requiredFields, writableFields } from '@svc/sdk/contract';
import type { FastifyInstance } from 'fastify';
import { sortsOf } from '../../list/definition.ts';
import type { Resource } from '../../resources/define.ts';
import { RESOURCES } from '../../resources/index.ts';
import type { DashboardContext } from '../context.ts';
import type { FieldShape, ResourceShape } from './wire-data.ts';

/** The resources whose records people see and change here. */
export const RECORD_RESOURCES: readonly Resource[] = RESOURCES.filter(({ writable }) => writable);

/** What the declarations say of the records, so that no page says it again. */
export function registerResourceShapes(api: FastifyInstance, { sessions }: DashboardContext): void {
  api.get('/resources', async (request, reply) => {
    await sessions.require(request, reply);
    return { data: RECORD_RESOURCES.map(shapeOf) };
  });
}

function shapeOf(resource: Resource): ResourceShape {
  const { name, singular, description, immutable, list, filters, transitions } = resource;
  const writable = immutable ? {} : writableFields(resource, 'patch');
  const required = requiredFields(resource, 'import');
  return {
    name,
    singular,
    description,
    fields: Object.entries(resource.fields).map(([field, declared]) =>
      fieldShape(field, declared, field in writable),
    ),
    sorts: list.sortable ? sortsOf(list).map((sort) => sort.name) : [],
    filters: Object.entries(filters).map(([filter, declared]) => ({
      name: filter,
      values: valuesOf(declared),
    })),
    immutable,
    transitions: transitions === undefined ? null : { field: transitions.field, moves: transitions.moves },
    importFields: Object.keys(writableFields(resource, 'import')).map((field) => ({
      name: field,
      required: required.includes(field),
    })),
  };
}

const fieldShape = (name: string, field: Field, writable: boolean): FieldShape => ({
  name,
  kind: field.kind === 'integer' || field.kind === 'time' ? field.kind : 'text',
  description: field.description,
  nullable: field.nullable === true,
  values: valuesOf(field),
  maxLength: field.kind === 'text' ? field.max : null,
  writable,
});

const valuesOf = (field: Field): readonly string[] | null => (field.kind === 'choice' ? field.values : null);
