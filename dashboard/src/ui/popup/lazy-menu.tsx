import {
  type ComponentProps,
  type ComponentType,
  cloneElement,
  type ReactElement,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useChunk } from '../../chunks/use-chunk.ts';

export interface LoadedMenuProps {
  readonly trigger: ReactElement;
  /** Called when an item leads to another page or dialog. */
  readonly onLeave: (() => void) | undefined;
}

export interface LazyMenuProps {
  readonly trigger: ReactElement<ComponentProps<'button'>>;
  readonly load: () => Promise<{ readonly default: ComponentType<LoadedMenuProps> }>;
  readonly onLeave: (() => void) | undefined;
}

const OPENING_KEYS = ['Enter', ' ', 'ArrowDown'];

/**
 * A menu whose code is loaded when its button is first pressed. The loaded menu has its own button, which gets the focus
 * and the same event, so that the first use is like every other one.
 */
export function LazyMenu({ trigger, load, onLeave }: LazyMenuProps) {
  const [pressed, setPressed] = useState<Event | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const Loaded = useChunk(load, pressed !== null, () => setPressed(null));
  // An effect of the parent runs after those of the loaded menu, which listens then.
  useEffect(() => {
    if (Loaded === null || pressed === null) return;
    button.current?.focus();
    button.current?.dispatchEvent(pressed);
    setPressed(null);
  }, [Loaded, pressed]);
  if (Loaded !== null) return <Loaded trigger={cloneElement(trigger, { ref: button })} onLeave={onLeave} />;
  const press = (event: SyntheticEvent, copy: Event): void => {
    event.preventDefault();
    setPressed(copy);
  };
  return cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerDown: (event) => {
      if (event.button === 0 && !event.ctrlKey)
        press(event, new PointerEvent('pointerdown', event.nativeEvent));
    },
    onKeyDown: (event) => {
      if (OPENING_KEYS.includes(event.key)) press(event, new KeyboardEvent('keydown', event.nativeEvent));
    },
  });
}
