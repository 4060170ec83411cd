import { useLocation } from '@tanstack/react-router';

/** A record of any resource, by the names of its fields. */
export type DataRecord = Readonly<Record<string, string | number | null>> & { readonly id: string };

/** Title or name, if it has one; else its id. */
export const titleOf = (record: DataRecord): string => String(record['title'] ?? record['name'] ?? record.id);

/** The resource in the address: `…/data/audits/…`. */
export const useResourceName = (): string =>
  useLocation({ select: ({ pathname }) => /\/data\/([a-z-]+)/.exec(pathname)?.[1] ?? '' });
