import { RadioGroup } from 'radix-ui';
import { useId } from 'react';

export interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly hint: string }[];
}

/** One of a few, each with what it means. */
export function Choice<Value extends string>({ label, value, onChange, options }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <span id={id} className="font-medium">
        {label}
      </span>
      <RadioGroup.Root
        aria-labelledby={id}
        value={value}
        onValueChange={(next) => onChange(next as Value)}
        className="grid gap-2 sm:grid-cols-2"
      >
        {options.map((option) => (
          <RadioGroup.Item
            key={option.value}
            value={option.value}
            className="flex items-start gap-2.5 rounded-md border border-edge/60 bg-surface p-2.5 text-start shadow-low hover:bg-hover data-[state=checked]:border-accent data-[state=checked]:bg-accent-ground"
          >
            <span className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border border-edge bg-surface">
              <RadioGroup.Indicator className="size-2 rounded-full bg-accent" />
            </span>
            <span className="flex flex-col gap-0.5">
              <span className="font-medium">{option.label}</span>
              <span className="text-sm text-soft">{option.hint}</span>
            </span>
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </div>
  );
}
