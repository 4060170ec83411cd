import { Tooltip as Radix } from 'radix-ui';
import type { ReactElement } from 'react';

const DELAY_MS = 300;

export interface TooltipProps {
  readonly text: string;
  readonly side?: 'top' | 'right' | 'bottom' | 'left';
  /** A focusable element. */
  readonly children: ReactElement;
}

export default function Tooltip({ text, side = 'top', children }: TooltipProps) {
  return (
    <Radix.Provider delayDuration={DELAY_MS}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-64 animate-fade rounded-md bg-ink px-2 py-1 text-xs text-ground shadow-high"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
