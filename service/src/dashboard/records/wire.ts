/** The JSON of the dashboard's endpoints for lists of records. */

/** `GET /workspaces/{id}/data/{resource}/count`, with the filters and the sort of the list. */
export interface ListCount {
  /** Exact for the whole list and for a company. Otherwise, among the first 10,000 records that an index selects. */
  readonly count: number;
  /** Whether the list can have more items. */
  readonly more: boolean;
}

/** A record or an API key that the search of a workspace found. */
export interface SearchHit {
  /** Name of the resource, such as `mentions`. */
  readonly resource: string;
  readonly id: string;
  /** The name or the title; the id if it has none. */
  readonly title: string;
  /** The URL or the domain; the last characters of an API key. Null: it has none. */
  readonly detail: string | null;
  /**
   * `id`: its id is the text. `exact`: its title, name, URL or domain is. `start`: its title starts with the text. `word`:
   * the words of the text begin words of it. `part`: its title, URL, domain or id contains the text.
   */
  readonly match: 'id' | 'exact' | 'start' | 'word' | 'part';
}

/** `GET /workspaces/{id}/search?q=`: at most ten of each resource, the best first. */
export interface SearchHits {
  readonly data: readonly SearchHit[];
  /** Whether only the newest 3,000 of a resource were compared, and few found: the index did not help. */
  readonly partial: boolean;
}
