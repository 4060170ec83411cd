import type { CompanyNames } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Search } from 'lucide-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useEffectEvent, useState } from 'react';
import { companySearchQuery } from '../../api/company-names.ts';
import { messageOf } from '../../api/failure.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { whyNot } from '../../session/permissions.ts';
import { intoView } from '../../ui/into-view.ts';

export interface CompanySearchProps {
  readonly workspaceId: string;
  readonly onChoose: (company: CompanyNames['data'][number]) => void;
}

/**
 * Finds a company by a part of its name, domain or id. Arrow keys and Enter choose; cmdk does not let Enter submit the
 * surrounding form. If Enter is pressed before the results for the typed text load, it chooses the first of them later.
 */
export function CompanySearch({ workspaceId, onChoose }: CompanySearchProps) {
  const [text, setText] = useState('');
  const [entered, setEntered] = useState(false);
  const search = useDeferredValue(text.trim());
  const { data, error, isPlaceholderData } = useQuery(companySearchQuery(workspaceId, search));
  const current = search === text.trim() && data !== undefined && !isPlaceholderData;
  const first = current ? data.data[0] : undefined;
  const chooseFirst = useEffectEvent(() => {
    setEntered(false);
    if (first !== undefined) onChoose(first);
  });
  useEffect(() => {
    if (entered && current) chooseFirst();
  }, [entered, current]);
  const keep = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || current || event.nativeEvent.isComposing) return;
    event.preventDefault();
    setEntered(true);
  };
  return (
    <Command
      ref={intoView}
      shouldFilter={false}
      label="Find a company"
      className="scroll-mb-20 overflow-hidden rounded-md border border-edge bg-surface shadow-low"
    >
      <div className="flex items-center gap-2 border-b border-line px-2.5">
        <Search size={15} aria-hidden className="text-soft" />
        <Command.Input
          autoFocus
          value={text}
          onValueChange={(typed) => {
            setText(typed);
            setEntered(false);
          }}
          placeholder="Name, domain or id"
          className="h-9 min-w-0 grow bg-transparent outline-none"
          onKeyDown={keep}
        />
      </div>
      <div className="h-36 overflow-y-auto p-1">
        {error === null ? null : <p className="px-2 py-1.5 text-bad">{messageOf(error)}</p>}
        {/* Texts are next to the list, not in it: a list box has only options. */}
        {data === undefined ? null : (
          <Command.Empty className="px-2 py-1.5 text-soft">
            {search === '' ? <NoCompanies workspaceId={workspaceId} /> : 'No results'}
          </Command.Empty>
        )}
        <Command.List label="Companies">
          {data?.data.map((company) => (
            <Command.Item
              key={company.id}
              value={company.id}
              onSelect={() => onChoose(company)}
              className="flex h-8 items-center gap-2 rounded px-2 data-[selected=true]:bg-hover"
            >
              <span className="min-w-0 truncate">{company.name}</span>
              <span className="min-w-0 truncate text-sm text-soft">{company.domain ?? company.id}</span>
            </Command.Item>
          ))}
        </Command.List>
        {data?.partial === true ? (
          <p className="px-2 py-1.5 text-sm text-soft">
            This workspace has many companies. Enter the start of a name, or a whole id, to search all of
            them.
          </p>
        ) : null}
      </div>
    </Command>
  );
}

/** Leads members who can create companies to the list of companies. */
function NoCompanies({ workspaceId }: Pick<CompanySearchProps, 'workspaceId'>) {
  const { role } = useWorkspace(workspaceId);
  if (whyNot(role, 'record.change') !== undefined) return 'No companies yet';
  return (
    <>
      No companies yet.{' '}
      <Link
        to="/w/$workspaceId/data/$resource"
        params={{ workspaceId, resource: 'companies' }}
        className="rounded text-accent hover:underline"
        // Otherwise cmdk takes Enter for itself.
        onKeyDown={(event) => event.stopPropagation()}
      >
        Create or import a company first
      </Link>
    </>
  );
}
