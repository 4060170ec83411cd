import { LoaderCircle } from 'lucide-react';
import { Slot } from 'radix-ui';
import { type ComponentProps, type KeyboardEvent, type MouseEvent, useCallback, useRef } from 'react';
import { classes } from './classes.ts';
import { LazyTooltip } from './popup/lazy-tooltip.tsx';

const VARIANTS = {
  primary: 'bg-accent text-on-accent border-transparent hover:bg-accent-hover shadow-low',
  secondary: 'bg-surface text-ink border-edge/60 hover:bg-hover shadow-low',
  ghost: 'bg-transparent text-soft border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-bad-solid text-on-bad border-transparent hover:opacity-90 shadow-low',
} as const;

const SIZES = {
  small: 'h-7 px-2 text-sm gap-1.5',
  medium: 'h-8 px-3 gap-2',
  icon: 'size-8',
  'small-icon': 'size-7',
} as const;

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  readonly variant?: keyof typeof VARIANTS;
  readonly size?: keyof typeof SIZES;
  /** Shows a spinner and ignores clicks. */
  readonly busy?: boolean;
  /** Why the button cannot be used, shown as a tooltip. The button stays focusable, so that everybody can read it. */
  readonly blocked?: string | undefined;
}

export const buttonClass = (
  variant: keyof typeof VARIANTS = 'secondary',
  size: keyof typeof SIZES = 'medium',
): string =>
  classes(
    'inline-flex shrink-0 items-center justify-center rounded-md border font-medium whitespace-nowrap',
    'transition-colors select-none aria-disabled:opacity-55 aria-disabled:shadow-none',
    // For links that look like buttons. base.css does it for buttons.
    'pointer-coarse:min-h-11',
    VARIANTS[variant],
    SIZES[size],
  );

export function Button(props: ButtonProps) {
  const {
    variant,
    size,
    busy = false,
    blocked,
    className,
    onClick,
    onKeyDown,
    children,
    type,
    ...rest
  } = props;
  const idle = !busy && blocked === undefined;
  const click = (event: MouseEvent<HTMLButtonElement>): void => {
    if (idle) onClick?.(event);
    else event.preventDefault();
  };
  // While Enter is held, the focus may have moved here from a button that has disappeared.
  const keyDown = (event: KeyboardEvent<HTMLButtonElement>): void => {
    if (event.key === 'Enter' && event.repeat) event.preventDefault();
    onKeyDown?.(event);
  };
  // With a tooltip, the button is a new element. It gets the focus that the old one had.
  const focused = useRef(false);
  const keepFocus = useCallback((element: HTMLElement | null) => {
    if (focused.current) element?.focus();
  }, []);
  const button = (
    <Slot.Root
      ref={keepFocus}
      onFocus={() => {
        focused.current = true;
      }}
      onBlur={() => {
        focused.current = false;
      }}
    >
      <button
        {...rest}
        type={type ?? 'button'}
        aria-disabled={idle ? undefined : true}
        aria-busy={busy || undefined}
        onClick={click}
        onKeyDown={keyDown}
        className={classes(buttonClass(variant, size), className)}
      >
        {busy ? <LoaderCircle size={14} aria-hidden className="animate-spin" /> : null}
        {children}
      </button>
    </Slot.Root>
  );
  return blocked === undefined ? button : <LazyTooltip text={blocked}>{button}</LazyTooltip>;
}
