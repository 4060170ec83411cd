import { useSyncExternalStore } from 'react';

export interface ToastMessage {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

let messages: readonly ToastMessage[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly ToastMessage[]): void {
  messages = next;
  for (const listener of listeners) listener();
}

/** Shows a short message about a success or, with the tone `bad`, a failure. */
export function toast(text: string, tone: ToastMessage['tone'] = 'good'): void {
  lastId += 1;
  set([...messages, { id: lastId, text, tone }]);
}

export const dismissToast = (id: number): void => set(messages.filter((message) => message.id !== id));

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useToasts = (): readonly ToastMessage[] => useSyncExternalStore(subscribe, () => messages);
