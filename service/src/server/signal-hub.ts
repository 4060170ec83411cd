import type { Logger } from 'pino';
import { openNotifications } from '../signals/notifications.ts';
import type { SignalChannel } from '../signals/signals.ts';

type Listener = (topics: readonly string[]) => void;

/** Carries topics between the workers of this node, the primary and all other nodes. */
export interface SignalHub {
  /** The channel of the primary, which also passes on the topics of its workers. */
  readonly channel: SignalChannel;
  /** Calls the listener with the topics that any process of any node has announced. */
  readonly subscribe: (listener: Listener) => void;
  readonly close: () => Promise<void>;
}

export function openSignalHub(options: { readonly databaseUrl: string; readonly log: Logger }): SignalHub {
  const listeners: Listener[] = [];
  const onTopics: Listener = (topics) => listeners.forEach((listener) => void listener(topics));
  const notifications = openNotifications({ ...options, onTopics });
  const subscribe = (listener: Listener): void => void listeners.push(listener);
  return {
    channel: {
      // The processes of this node get the topics at once, also if the database delivers no notifications.
      send: async (topics) => {
        onTopics(topics);
        topics.forEach(notifications.announce);
      },
      receive: subscribe,
    },
    subscribe,
    close: notifications.close,
  };
}
