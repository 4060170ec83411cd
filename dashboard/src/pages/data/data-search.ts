import { text } from '../../routes/search.ts';

/** What a list is filtered and sorted by, as it stands in the address. */
export interface DataSearch {
  readonly sort?: string | undefined;
  readonly companyId?: string | undefined;
  readonly status?: string | undefined;
}

export const dataSearch = (search: Readonly<Record<string, unknown>>): DataSearch => ({
  sort: text(search['sort']),
  companyId: text(search['companyId']),
  status: text(search['status']),
});
