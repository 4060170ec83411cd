import { createStore } from '../../listeners.ts';

export interface ToastMessage {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

const messages = createStore<readonly ToastMessage[]>([]);
let lastId = 0;

/** Shows a short message about a success or, with the tone `bad`, a failure. */
export function toast(text: string, tone: ToastMessage['tone'] = 'good'): void {
  lastId += 1;
  messages.set([...messages.get(), { id: lastId, text, tone }]);
}

export const dismissToast = (id: number): void =>
  messages.set(messages.get().filter((message) => message.id !== id));

export const useToasts = (): readonly ToastMessage[] => messages.use();
