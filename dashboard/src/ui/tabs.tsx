import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly id: string; readonly label: string; readonly content: ReactNode }[];
  /** Id of the selected tab. Default: the component keeps it, starting with the first tab. */
  readonly value?: string;
  readonly onChange?: (id: string) => void;
}

export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  // A form may ask before its tab is left. Then its focus returns to the other tab, which must not open it again.
  const controlled =
    value === undefined
      ? { defaultValue: tabs[0]?.id ?? '' }
      : ({ value, activationMode: 'manual' } as const);
  return (
    <Radix.Root {...controlled} {...(onChange === undefined ? {} : { onValueChange: onChange })}>
      <Radix.List aria-label={label} className="flex gap-4 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.id}
            value={tab.id}
            className="-mb-px h-9 border-b-2 border-transparent px-0.5 font-medium whitespace-nowrap text-soft hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="pt-4 focus-visible:outline-none">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
