import { text } from '../../routes/search.ts';

/** The filters and the sort of a list in the URL. */
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
