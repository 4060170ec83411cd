import { CONTRACT, CREATED, type Field, type ResourceContract } from '@svc/sdk/contract';

export type { Field, ResourceContract };

/** A record of any resource. */
export type DataRecord = Readonly<Record<string, string | number | null>> & { readonly id: string };

const all: readonly ResourceContract[] = Object.values(CONTRACT);

/** The resources with data pages: those that can be written. API keys and the audit log have pages of their own. */
export const DATA_RESOURCES = all.filter(({ writes }) => writes !== undefined);

/** The resource with this name; undefined if it has no data pages. */
export const findResource = (name: string): ResourceContract | undefined =>
  DATA_RESOURCES.find((resource) => resource.name === name);

/** The resources whose lists can be searched. */
export const SEARCHED_RESOURCES = DATA_RESOURCES.filter(({ searched }) => searched !== undefined);

/** Whether people can change the records of the resource. */
export const isEditable = ({ writes }: ResourceContract): boolean =>
  writes?.some((write) => write === 'update') === true;

/** Whether the records of the resource are companies. */
export const isCompanies = ({ company }: ResourceContract): boolean => company === 'id';

/** The resources whose lists can be filtered by company. */
export const COMPANY_RESOURCES = DATA_RESOURCES.filter(({ filters }) => 'companyId' in filters);

/** The id of the company of a record; null if it has none. */
export function companyOf({ company }: ResourceContract, record: DataRecord): string | null {
  const id = company === null ? null : record[company];
  return typeof id === 'string' ? id : null;
}

const NAMING = ['title', 'name'] as const;

/** The name of the field that names a record for people; `id` if there is no other. */
export const namingField = ({ fields }: ResourceContract): string =>
  NAMING.find((name) => name in fields) ?? 'id';

/** The title or name of a record, otherwise its id. */
export const titleOf = (resource: ResourceContract, record: DataRecord): string =>
  String(record[namingField(resource)] ?? record.id);

/** The field that a list is sorted by: that of the sort with this name, such as `score`. */
export const sortedField = ({ sorts = {} }: ResourceContract, sort: string): string =>
  sort === CREATED ? 'createdAt' : (sorts[sort] ?? '');

const LONG_TEXT_CHARACTERS = 500;

/** Whether the value is the address of a web page. */
export const isUrl = (field: Field): boolean => field.kind === 'text' && field.rule === 'url';
/** Long texts are not shown in tables, and are edited in a text area. */
export const isLongText = (field: Field): boolean =>
  field.kind === 'text' && field.max > LONG_TEXT_CHARACTERS && !isUrl(field);

/**
 * The names of the fields to show as columns, first the one that links to the record. Leaves out URLs and long texts, the
 * id if another field names the record, and the time of creation if there is another time. A field that the list is sorted
 * by is always shown, if the records have it.
 */
export function columnsOf(resource: ResourceContract, sorted?: string): readonly string[] {
  const first = namingField(resource);
  const entries = Object.entries(resource.fields);
  const hasTime = entries.some(([name, { kind }]) => kind === 'time' && name !== 'createdAt');
  const others = entries.filter(
    ([name, field]) =>
      name === sorted ||
      (name !== first &&
        name !== 'id' &&
        !(name === 'createdAt' && hasTime) &&
        !isUrl(field) &&
        !isLongText(field)),
  );
  return [first, ...others.map(([name]) => name)];
}

/** The fields that can be shown as columns besides the first one: all but long texts. */
export const columnChoices = (resource: ResourceContract): readonly string[] =>
  Object.entries(resource.fields).flatMap(([name, field]) =>
    name === namingField(resource) || isLongText(field) ? [] : [name],
  );
