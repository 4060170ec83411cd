import { WRITES, type WriteCase, writeCaseOf } from './cases.ts';
import type { Created } from './world.ts';

/** The expected content of a workspace: the records of each resource as responses showed them, in order of creation. */
export class Model {
  readonly #lists = new Map<string, Map<string, Created>>(WRITES.map(({ name }) => [name, new Map()]));

  list({ name }: Pick<WriteCase, 'name'>): Map<string, Created> {
    const list = this.#lists.get(name);
    if (list === undefined) throw new Error(`the model has no ${name}`);
    return list;
  }

  has(of: Pick<WriteCase, 'name'>, id: unknown): boolean {
    return this.list(of).has(String(id));
  }

  /** Whether any record belongs to the company. */
  isNeeded(companyId: string): boolean {
    return WRITES.some(({ name, parent }) => {
      const records = parent === undefined ? [] : [...this.list({ name }).values()];
      return records.some((record) => record['companyId'] === companyId);
    });
  }

  /** The expected result of each record if one transaction writes them in order and skips the refused ones. */
  fates(of: WriteCase, inputs: readonly Given[]): readonly Fate[] {
    const seen = new Set(this.list(of).keys());
    return inputs.map((input) => {
      const id = input['id'];
      if (id !== undefined && seen.has(String(id))) return 'taken';
      if (of.parent !== undefined && !this.has(COMPANIES, input['companyId'])) return 'no company';
      if (id !== undefined) seen.add(String(id));
      return 'made';
    });
  }

  /** The expected status of a change, by the moves of the contract. */
  statusOfPatch(of: WriteCase, id: string, change: Given): number {
    const record = this.list(of).get(id);
    if (record === undefined) return 404;
    const { transitions } = of.resource;
    if (transitions !== undefined) {
      const [from, to] = [record[transitions.field], change[transitions.field] ?? record[transitions.field]];
      if (from !== to && !transitions.moves[String(from)]?.includes(String(to))) return 409;
    }
    const company = change['companyId'];
    return company !== undefined && !this.has(COMPANIES, company) ? 400 : 200;
  }

  statusOfDelete(of: WriteCase, id: string): number {
    if (!this.has(of, id)) return 404;
    return of.parent === undefined && this.isNeeded(id) ? 409 : 204;
  }
}

export type Given = Readonly<Record<string, string | number | null | undefined>>;
export type Fate = 'made' | 'taken' | 'no company';

const COMPANIES = writeCaseOf('companies');
