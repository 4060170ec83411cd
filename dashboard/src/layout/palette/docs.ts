import { queryOptions, useQuery } from '@tanstack/react-query';
import { BookOpen } from 'lucide-react';
import { BASE_PATH } from '../../base.ts';
import type { PaletteItem } from './palette-item.ts';

/** A line of /llms.txt: `- [Title](https://host/docs/name.md): description`. */
const PAGE = /^- \[(.+)\]\(\S+?\/docs(\/[\w-]+)?\.md\): (.*)$/gm;

/** The pages of the documentation, from the index that the service makes of them. */
const docsQuery = queryOptions({
  queryKey: ['docs'],
  queryFn: async ({ signal }) => {
    const response = await fetch(`${BASE_PATH}llms.txt`, { signal });
    if (!response.ok) throw new Error(`The pages of the documentation cannot be listed: ${response.status}.`);
    return [...(await response.text()).matchAll(PAGE)].map(([, title = '', path = '', description = '']) => ({
      title,
      path,
      description,
    }));
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

export interface Docs {
  readonly items: readonly PaletteItem[];
  readonly loading: boolean;
  readonly failed: boolean;
}

export function useDocs(): Docs {
  const { data = [], isLoading, isLoadingError } = useQuery(docsQuery);
  const items = data.map(({ title, path, description }) => ({
    id: `docs ${path}`,
    label: title,
    note: 'Docs',
    icon: BookOpen,
    words: `documentation guide help ${description}`,
    run: () => window.open(`${BASE_PATH}docs${path}`, '_blank', 'noopener'),
  }));
  return { items, loading: isLoading, failed: isLoadingError };
}
