import { useId } from 'react';

export interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
}

/** A choice between a few options side by side. */
export function Segments<Value extends string>({ label, value, onChange, options }: SegmentsProps<Value>) {
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="inline-flex rounded-md border border-line bg-sunken p-0.5"
    >
      {options.map((option) => (
        <label
          key={option.value}
          className="relative flex h-6.5 shrink-0 pointer-coarse:h-11 items-center whitespace-nowrap rounded-[5px] border border-transparent px-2.5 text-sm font-medium text-soft hover:text-ink has-checked:border-line has-checked:bg-surface has-checked:text-ink has-checked:shadow-low has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
        >
          {/* Above the label, so that it can be clicked and touched like every radio button. */}
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 cursor-pointer appearance-none rounded-[5px] outline-none"
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
