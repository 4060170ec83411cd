import {
  type ComponentProps,
  type FormEvent,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react';
import { classes } from '../ui/classes.ts';
import { Input } from '../ui/form/input.tsx';
import { wrongValueOf } from '../ui/form/wrong-value.ts';

export interface TextFilterProps
  extends Pick<ComponentProps<'input'>, 'type' | 'min' | 'max' | 'maxLength' | 'placeholder'> {
  readonly label: string;
  readonly value: string | undefined;
  /** Completes the typed text. Default: unchanged. */
  readonly tidy?: (text: string) => string;
  /** Classes of the form around the input. */
  readonly className?: string;
  /** `replace`: the person has not completed the text, so no entry of the history is needed. */
  readonly onFilter: (value: string | undefined, replace: boolean) => void;
}

/** How long a search waits for the next key. */
const PAUSE_MS = 300;

/**
 * Applies the filter on Enter, or when the field loses the focus; a search also while the person types. A text that becomes
 * empty is applied at once. Shows why if the value is not allowed.
 */
export function TextFilter(props: TextFilterProps) {
  const { label, value, tidy = (text) => text, className, onFilter, ...input } = props;
  const [typed, setTyped] = useState(value ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const problemId = useId();
  const field = useRef<HTMLInputElement>(null);
  const applied = useRef(value);
  useEffect(() => {
    // What this field has applied itself may be older than its text.
    if (value === applied.current) return;
    applied.current = value;
    setTyped(value ?? '');
    setProblem(null);
  }, [value]);
  const apply = (replace = false): void => {
    const wrong = field.current === null ? null : wrongValueOf(field.current);
    setProblem(wrong);
    if (wrong !== null) return;
    const given = typed.trim();
    const next = given === '' ? undefined : tidy(given);
    if (next === value) return;
    applied.current = next;
    if (!replace) setTyped(next ?? '');
    onFilter(next, replace);
  };
  const search = input.type === 'search';
  const applyTyped = useEffectEvent(() => apply(true));
  useEffect(() => {
    // Fields for numbers and times are also empty while a value is incomplete.
    if (!search && (typed !== '' || input.type !== undefined)) return;
    if (typed === '') {
      applyTyped();
      return;
    }
    const timer = setTimeout(applyTyped, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [search, input.type, typed]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    apply();
  };
  return (
    <form onSubmit={submit} noValidate className={classes('relative', className)}>
      <Input
        {...input}
        ref={field}
        aria-label={label}
        aria-invalid={problem === null ? undefined : true}
        aria-describedby={problem === null ? undefined : problemId}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={() => apply()}
      />
      {/* It moves nothing: the field may lose the focus to a click on what is below. */}
      {problem === null ? null : (
        <p
          id={problemId}
          role="alert"
          className="absolute inset-x-0 top-full z-10 mt-1 rounded-md border border-edge bg-surface p-1.5 text-sm text-bad shadow-low"
        >
          {problem}
        </p>
      )}
      {/* Without a submit button, Chromium submits a form on Enter only from fields for text and numbers. */}
      <button type="submit" hidden />
    </form>
  );
}
