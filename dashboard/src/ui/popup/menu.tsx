import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { createContext, type ReactElement, type ReactNode, useContext, useRef } from 'react';
import { classes } from '../classes.ts';

const ITEM_CLASS =
  'flex min-h-8 items-center gap-2 rounded-md px-2 py-1 outline-none select-none data-highlighted:bg-hover ' +
  'data-disabled:opacity-55';

export interface MenuProps {
  readonly trigger: ReactElement;
  readonly side?: 'top' | 'bottom' | 'right';
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

type Action = () => void;
const Chosen = createContext<(action: Action) => void>((action) => action());

/** A menu with its button. A chosen action runs after the focus is back on the button, so a dialog returns it there. */
export function Menu({ trigger, side = 'bottom', align = 'start', children }: MenuProps) {
  const chosen = useRef<Action | null>(null);
  const run = (): void => {
    const action = chosen.current;
    chosen.current = null;
    if (action !== null) queueMicrotask(action);
  };
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        {/* The portal is outside the page's landmarks, and all content must be inside one. */}
        <section aria-label="Menu">
          <DropdownMenu.Content
            side={side}
            align={align}
            sideOffset={4}
            collisionPadding={8}
            onCloseAutoFocus={run}
            className="z-50 max-h-(--radix-dropdown-menu-content-available-height) max-w-[min(24rem,calc(100vw-1rem))] min-w-52 animate-fade overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-high"
          >
            <Chosen value={(action) => (chosen.current = action)}>{children}</Chosen>
          </DropdownMenu.Content>
        </section>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export interface MenuItemProps {
  readonly icon?: LucideIcon;
  readonly onSelect: () => void;
  readonly dangerous?: boolean;
  /** Why the item cannot be chosen, shown in the item. */
  readonly blocked?: string | undefined;
  readonly children: ReactNode;
}

export function MenuItem({ icon: Icon, onSelect, dangerous = false, blocked, children }: MenuItemProps) {
  const choose = useContext(Chosen);
  return (
    <DropdownMenu.Item
      onSelect={() => choose(onSelect)}
      disabled={blocked !== undefined}
      className={classes(ITEM_CLASS, dangerous && 'text-bad')}
    >
      {Icon === undefined ? null : (
        <Icon size={15} aria-hidden className={dangerous ? undefined : 'text-soft'} />
      )}
      <span className="min-w-0 grow wrap-anywhere">
        {children}
        {blocked === undefined ? null : <span className="block text-xs">{blocked}</span>}
      </span>
    </DropdownMenu.Item>
  );
}

export interface MenuRadioProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    readonly note?: string;
    readonly icon?: LucideIcon;
  }[];
}

/** Radio items in a menu. */
export const MenuRadio = <Value extends string>({
  label,
  value,
  onChange,
  options,
}: MenuRadioProps<Value>) => (
  <DropdownMenu.RadioGroup aria-label={label} value={value} onValueChange={(next) => onChange(next as Value)}>
    <DropdownMenu.Label className="px-2 pt-1.5 pb-1 text-xs font-medium text-soft">
      {label}
    </DropdownMenu.Label>
    {options.map(({ icon: Icon, ...option }) => (
      <DropdownMenu.RadioItem key={option.value} value={option.value} className={ITEM_CLASS}>
        {Icon === undefined ? null : <Icon size={15} aria-hidden className="shrink-0 text-soft" />}
        <span dir="auto" className="min-w-0 grow truncate">
          {option.label}
        </span>
        {option.note === undefined ? null : <span className="shrink-0 text-xs text-soft">{option.note}</span>}
        <span className="w-4 shrink-0">
          <DropdownMenu.ItemIndicator>
            <Check size={15} aria-hidden className="text-accent" />
          </DropdownMenu.ItemIndicator>
        </span>
      </DropdownMenu.RadioItem>
    ))}
  </DropdownMenu.RadioGroup>
);

export interface MenuChecksProps {
  readonly label: string;
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    /** Why the option cannot be changed, shown in it. */
    readonly blocked?: string;
  }[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Items with a check mark in a menu, which stays open. */
export const MenuChecks = ({ label, options, chosen, onChange }: MenuChecksProps) => (
  <DropdownMenu.Group aria-label={label}>
    <DropdownMenu.Label className="px-2 pt-1.5 pb-1 text-xs font-medium text-soft">
      {label}
    </DropdownMenu.Label>
    {options.map(({ value, label: text, blocked }) => (
      <DropdownMenu.CheckboxItem
        key={value}
        checked={chosen.includes(value)}
        disabled={blocked !== undefined}
        onSelect={(event) => event.preventDefault()}
        onCheckedChange={(checked) =>
          onChange(checked ? [...chosen, value] : chosen.filter((other) => other !== value))
        }
        className={ITEM_CLASS}
      >
        <span className="min-w-0 grow">
          {text}
          {blocked === undefined ? null : <span className="block text-xs">{blocked}</span>}
        </span>
        <span className="w-4">
          <DropdownMenu.ItemIndicator>
            <Check size={15} aria-hidden className="text-accent" />
          </DropdownMenu.ItemIndicator>
        </span>
      </DropdownMenu.CheckboxItem>
    ))}
  </DropdownMenu.Group>
);

export const MenuSeparator = () => <DropdownMenu.Separator className="-mx-1 my-1 h-px bg-line" />;
