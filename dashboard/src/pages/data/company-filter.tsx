import { Building2, ChevronsUpDown, X } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useRef, useState } from 'react';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CompanySearch } from '../keys/company-search.tsx';

export interface CompanyFilterProps {
  readonly workspaceId: string;
  readonly companyId: string | undefined;
  readonly companyName: (id: string) => string;
  readonly onChange: (companyId: string | undefined) => void;
}

/** Switches between all companies and one. */
export function CompanyFilter({ workspaceId, companyId, companyName, onChange }: CompanyFilterProps) {
  const [open, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  return (
    <div className="flex min-w-0">
      <Popover.Root open={open} onOpenChange={setOpen}>
        <Popover.Trigger ref={trigger} className={`${buttonClass('secondary')} min-w-0`}>
          <Building2 size={14} aria-hidden className="shrink-0 text-soft" />
          <span className="truncate">
            {companyId === undefined ? 'All companies' : companyName(companyId)}
          </span>
          <ChevronsUpDown size={14} aria-hidden className="shrink-0 text-soft" />
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            align="start"
            sideOffset={4}
            collisionPadding={8}
            aria-label="Choose a company"
            className="z-50 w-80 max-w-[calc(100vw-1rem)] animate-fade rounded-lg border border-line bg-raised p-1.5 shadow-high"
          >
            <CompanySearch
              workspaceId={workspaceId}
              onChoose={({ id }) => {
                setOpen(false);
                onChange(id);
              }}
            />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
      {companyId === undefined ? null : (
        <Button
          variant="ghost"
          size="icon"
          aria-label="Show all companies"
          onClick={() => {
            // This button disappears, so move the focus.
            trigger.current?.focus();
            onChange(undefined);
          }}
        >
          <X size={14} aria-hidden />
        </Button>
      )}
    </div>
  );
}
