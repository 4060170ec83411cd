import type { CopiedRecord, CopiedResource, CopyStore, Svc } from '@svc/sdk';

/** The process of the copy was killed. */
export class Killed extends Error {}

interface Kept {
  readonly round: number;
  readonly json: string;
}

/** A copy in memory that can be killed at any call. What a transaction has not kept is then lost. */
export class MemoryStore {
  #records = new Map<string, Kept>();
  #position: string | undefined;
  /** Called at the start of each call of the store, and before a transaction is kept. */
  atCall: () => void = () => undefined;
  readonly store: CopyStore;

  constructor(transactions: boolean) {
    const keyOf = (resource: CopiedResource, id: string): string => `${resource} ${id}`;
    this.store = {
      loadPosition: () => this.#position,
      savePosition: (position) => {
        this.atCall();
        this.#position = position;
      },
      put: async (resource, record, round) => {
        this.atCall();
        this.#records.set(keyOf(resource, record.id), { round, json: JSON.stringify(record) });
      },
      remove: (resource, id) => {
        this.atCall();
        this.#records.delete(keyOf(resource, id));
      },
      removeBefore: (round) => {
        this.atCall();
        for (const [key, kept] of this.#records) if (kept.round < round) this.#records.delete(key);
      },
      ...(transactions ? { transaction: (work: () => Promise<void>) => this.#transaction(work) } : {}),
    };
  }

  async #transaction(work: () => Promise<void>): Promise<void> {
    const before = [new Map(this.#records), this.#position] as const;
    try {
      await work();
      this.atCall();
    } catch (error) {
      [this.#records, this.#position] = before;
      throw error;
    }
  }

  get position(): string {
    return String(this.#position);
  }

  /** Every record as `resource json`, sorted. */
  get content(): readonly string[] {
    return [...this.#records].map(([key, { json }]) => `${key.split(' ')[0]} ${json}`).sort();
  }
}

const RESOURCES = ['audits', 'mentions', 'content', 'companies'] as const satisfies readonly CopiedResource[];

/** What a copy must have: every record of the lists, as {@link MemoryStore.content} has it. */
export async function listed(svc: Svc): Promise<readonly string[]> {
  const lists = RESOURCES.map(async (resource) => {
    const records: readonly CopiedRecord[] = await Array.fromAsync<CopiedRecord>(svc[resource].list());
    return records.map((record) => `${resource} ${JSON.stringify(record)}`);
  });
  return (await Promise.all(lists)).flat().sort();
}
