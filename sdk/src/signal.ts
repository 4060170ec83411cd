import { textOf } from './checked-options.ts';
import { SvcError } from './errors.ts';

/**
 * The `AbortSignal` type of the runtime. In a program that is compiled without such a type, only the members that
 * this package uses.
 */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : SignalPart;

interface SignalPart {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Returns the signal if it is an `AbortSignal` or undefined. Throws {@link SvcError} otherwise. */
export function checkedSignal(signal: Signal | undefined): Signal | undefined {
  const value: unknown = signal;
  if (value === undefined) return signal;
  const { addEventListener }: { readonly addEventListener?: unknown } = Object(value);
  if (typeof addEventListener === 'function') return signal;
  throw new SvcError(`"signal" must be an AbortSignal, not ${textOf(value)}.`);
}
