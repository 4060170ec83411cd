import type { CompanyNames } from '@svc/service/src/dashboard/wire.ts';
import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Search } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { companySearchQuery } from '../../api/company-names.ts';
import { messageOf } from '../../api/failure.ts';

export interface CompanySearchProps {
  readonly workspaceId: string;
  readonly onChoose: (company: CompanyNames['data'][number]) => void;
}

/** It appears at the end of a dialog, where it may be out of sight. */
const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

/** Finds a company by a piece of its name, domain or id; arrow keys and Enter choose. */
export function CompanySearch({ workspaceId, onChoose }: CompanySearchProps) {
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const { data, error } = useQuery(companySearchQuery(workspaceId, search));
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
          onValueChange={setText}
          placeholder="Name, domain or id"
          className="h-9 min-w-0 grow bg-transparent outline-none"
          onKeyDown={(event) => {
            // Chooses, and does not send the form around it.
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
      </div>
      <Command.List label="Companies" className="h-36 overflow-y-auto p-1">
        {error === null ? null : <p className="px-2 py-1.5 text-bad">{messageOf(error)}</p>}
        {data === undefined ? null : (
          <Command.Empty className="px-2 py-1.5 text-soft">
            {search === '' ? 'There are no companies yet.' : 'No company holds this text.'}
          </Command.Empty>
        )}
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
    </Command>
  );
}
