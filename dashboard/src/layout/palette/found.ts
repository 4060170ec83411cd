import type { ListEnvelope } from '@svc/sdk';
import { capitalized, isId } from '@svc/sdk/contract';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { KeyRound, Search, User } from 'lucide-react';
import { call, ofWorkspace } from '../../api/client.ts';
import { companySearchQuery } from '../../api/company-names.ts';
import { keyNamesQuery } from '../../api/keys.ts';
import { membersQuery } from '../../api/members.ts';
import { resourceIcon } from '../../resources/icon.ts';
import {
  DATA_RESOURCES,
  type DataRecord,
  isCompanies,
  SEARCHED_RESOURCES,
  titleOf,
} from '../../resources/resources.ts';
import { matches } from './matches.ts';
import type { PaletteGroup, PaletteItem } from './palette-item.ts';

/** Of each kind that is looked up. */
const SHOWN_MAX = 5;
/** A shorter text finds too much. */
const LEAST_CHARACTERS = 2;

export interface Found {
  readonly groups: readonly PaletteGroup[];
  /** Leads to the page of all results. Null if the text is too short. */
  readonly all: PaletteGroup | null;
  readonly searching: boolean;
  /** Whether a look-up failed, so that its group is missing. */
  readonly failed: boolean;
  /** Whether a look-up compared only the newest records, and found few. */
  readonly partial: boolean;
}

/**
 * Companies, other records, keys and members that the text finds. The service bounds each look-up: companies by an index of
 * names and the newest ones, records by an index of words, the newest keys.
 */
export function useFound(workspaceId: string | undefined, text: string): Found {
  const wanted = workspaceId !== undefined && text.length >= LEAST_CHARACTERS;
  const of = workspaceId ?? '';
  const navigate = useNavigate();
  const companies = useQuery({ ...companySearchQuery(of, text), enabled: wanted });
  const records = useRecords(of, text, wanted);
  const people = useQuery({ ...membersQuery(of), enabled: wanted });
  const keys = useQuery({ ...keyNamesQuery(of), enabled: wanted });
  if (!wanted) return { groups: [], all: null, searching: false, failed: false, partial: false };

  const open = (resource: string, recordId: string) => () =>
    navigate({
      to: '/w/$workspaceId/data/$resource/$recordId',
      params: { workspaceId: of, resource, recordId },
    });
  const record = (resource: string, id: string, label: string, note?: string | null): PaletteItem => ({
    id: `${resource} ${id}`,
    label,
    note: note ?? null,
    icon: resourceIcon(resource),
    run: open(resource, id),
  });
  const fresh = companies.isPlaceholderData ? [] : (companies.data?.data ?? []);
  const everything: PaletteItem = {
    id: 'all results',
    label: `Show all results for “${text}”`,
    icon: Search,
    run: () => navigate({ to: '/w/$workspaceId/search', params: { workspaceId: of }, search: { q: text } }),
  };
  const byId = DATA_RESOURCES.filter(({ idPrefix }) => text.startsWith(`${idPrefix}_`) && isId(text));
  const groups: readonly PaletteGroup[] = [
    {
      heading: 'Companies',
      items: fresh.slice(0, SHOWN_MAX).map(({ id, name, domain }) => record('companies', id, name, domain)),
    },
    ...records.found.map(({ resource, items }) => ({
      heading: capitalized(resource.plural),
      items: items.map((one) => record(resource.name, one.id, titleOf(resource, one))),
    })),
    {
      heading: 'API keys',
      items: [...(keys.data?.values() ?? [])]
        .filter(({ id, name, hint }) => matches(text, `${name} ${id} ${hint}`))
        .slice(0, SHOWN_MAX)
        .map(({ id, name, mode, revokedAt }) => ({
          id: `key ${id}`,
          label: name,
          note: revokedAt === null ? mode : `${mode}, revoked`,
          icon: KeyRound,
          run: () => navigate({ to: '/w/$workspaceId/keys/$keyId', params: { workspaceId: of, keyId: id } }),
        })),
    },
    {
      heading: 'Members',
      items: (people.data?.data ?? [])
        .filter(({ name, email }) => matches(text, `${name} ${email}`))
        .slice(0, SHOWN_MAX)
        .map(({ id, name, email }) => ({
          id: `member ${id}`,
          label: name,
          note: email,
          icon: User,
          run: () =>
            navigate({
              to: '/w/$workspaceId/settings',
              params: { workspaceId: of },
              search: { tab: 'members' },
            }),
        })),
    },
    {
      heading: 'Ids',
      items: byId.map(({ name, singular }) => record(name, text, `Open ${singular} ${text}`)),
    },
  ].filter(({ items }) => items.length > 0);
  return {
    // Not while results are only read again: they would go away, with the choice that the person has made.
    searching:
      companies.isLoading ||
      companies.isPlaceholderData ||
      records.searching ||
      people.isLoading ||
      keys.isLoading,
    failed: [companies, people, keys].some(isMissing) || records.failed,
    partial: (companies.data?.partial === true && fresh.length < SHOWN_MAX) || records.partial,
    groups,
    all: { heading: 'Search', items: [everything] },
  };
}

/** Whether there is nothing to show because the read failed. One that fails when data are only read again is no loss. */
const isMissing = ({ isLoadingError }: { readonly isLoadingError: boolean }): boolean => isLoadingError;

const SEARCHABLE = SEARCHED_RESOURCES.filter((resource) => !isCompanies(resource));

/** The newest records whose words begin with the words of the text, or whose id or URL it is. */
function useRecords(workspaceId: string, text: string, enabled: boolean) {
  const results = useQueries({
    queries: SEARCHABLE.map(({ name }) => ({
      queryKey: ['workspace', workspaceId, 'palette', name, text],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        call<ListEnvelope<DataRecord>>(ofWorkspace(workspaceId, `/data/${name}`), {
          query: { q: text, limit: SHOWN_MAX },
          signal,
        }),
      enabled,
    })),
  });
  return {
    searching: results.some(({ isLoading }) => isLoading),
    failed: results.some(isMissing),
    partial: results.some(({ data }) => data?.pagination.hasMore === true && data.data.length < SHOWN_MAX),
    found: SEARCHABLE.map((resource, i) => ({ resource, items: results[i]?.data?.data ?? [] })),
  };
}
