import { useLocation } from '@tanstack/react-router';

/** A record of any resource. */
export type DataRecord = Readonly<Record<string, string | number | null>> & { readonly id: string };

/** The title or name of a record, otherwise its id. */
export const titleOf = (record: DataRecord): string => String(record['title'] ?? record['name'] ?? record.id);

/** The resource in the address: `…/data/audits/…`. */
export const useResourceName = (): string =>
  useLocation({ select: ({ pathname }) => /\/data\/([a-z-]+)/.exec(pathname)?.[1] ?? '' });
