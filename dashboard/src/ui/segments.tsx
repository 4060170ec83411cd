import { ToggleGroup } from 'radix-ui';

export interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
}

/** A choice between a few options side by side. */
export const Segments = <Value extends string>({ label, value, onChange, options }: SegmentsProps<Value>) => (
  <ToggleGroup.Root
    type="single"
    aria-label={label}
    value={value}
    onValueChange={(next) => {
      // Empty: the selected option was pressed again. It stays selected.
      if (next !== '') onChange(next as Value);
    }}
    className="inline-flex rounded-md border border-line bg-sunken p-0.5"
  >
    {options.map((option) => (
      <ToggleGroup.Item
        key={option.value}
        value={option.value}
        className="h-6.5 rounded-[5px] border border-transparent px-2.5 text-sm font-medium text-soft hover:text-ink data-[state=on]:border-line data-[state=on]:bg-surface data-[state=on]:text-ink data-[state=on]:shadow-low"
      >
        {option.label}
      </ToggleGroup.Item>
    ))}
  </ToggleGroup.Root>
);
