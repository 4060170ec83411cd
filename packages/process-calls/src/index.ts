/** Calls between the processes of one service, over the channel that Node gives a child process. */

/** Functions that another process can call. Their argument and result are sent as JSON. */
export type Calls = Readonly<Record<string, (argument: never) => unknown>>;

/**
 * Another process. A call rejects with the message and the `code` of the error there, with PeerGoneError if the process is
 * gone, or with the code ETIMEDOUT if it does not answer within `withinMs` (default: no limit).
 */
export interface Peer<Remote extends Calls> {
  call<Name extends keyof Remote & string>(
    name: Name,
    argument: Parameters<Remote[Name]>[0],
    withinMs?: number,
  ): Promise<Awaited<ReturnType<Remote[Name]>>>;
}

/** A channel to a process: `process` in a worker, the worker in the primary. */
export interface Channel {
  send?(message: unknown, callback: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

type Message =
  | { readonly call: number; readonly name: string; readonly argument: unknown }
  | { readonly answer: number; readonly value: unknown }
  | { readonly failure: number; readonly message: string; readonly code?: string };

/** The most calls and answers that are sent together. More would keep the other process busy for too long. */
const MESSAGES_MAX = 64;

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  readonly deadline: NodeJS.Timeout | undefined;
}

/** A call failed in the other process. */
class PeerError extends Error {
  override readonly name: string = 'PeerError';
  readonly code: string | undefined;
  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** A call failed because the other process is gone. */
export class PeerGoneError extends PeerError {
  override readonly name = 'PeerGoneError';
  constructor() {
    super('the other process is gone');
  }
}

class PeerTimeoutError extends PeerError {
  constructor(ms: number | undefined) {
    super(`the other process did not answer within ${ms} ms`, 'ETIMEDOUT');
  }
}

function failureOf(error: unknown): { readonly message: string; readonly code?: string } {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message } = error;
  return 'code' in error && typeof error.code === 'string' ? { message, code: error.code } : { message };
}

/** Offers `local` to the process at the other end of the channel, and returns that process. */
export function connectPeer<Remote extends Calls>(channel: Channel, local: Calls): Peer<Remote> {
  const pending = new Map<number, Pending>();
  let calls = 0;
  const settle = (id: number): Pending | undefined => {
    const found = pending.get(id);
    pending.delete(id);
    clearTimeout(found?.deadline);
    return found;
  };
  const gone = (): void => {
    for (const id of [...pending.keys()]) settle(id)?.reject(new PeerGoneError());
  };
  /** Are sent at the end of this turn of the event loop, because each message wakes the other process. */
  let unsent: Message[] = [];
  const flush = (): void => {
    const messages = unsent;
    unsent = [];
    if (messages.length === 0) return;
    if (channel.send === undefined) gone();
    else
      channel.send(messages, (error) => {
        if (error !== null) gone();
      });
  };
  const send = (message: Message): void => {
    unsent.push(message);
    if (unsent.length === 1) setImmediate(flush);
    else if (unsent.length === MESSAGES_MAX) flush();
  };
  const answer = async (id: number, name: string, argument: unknown): Promise<void> => {
    try {
      const offered = local[name] as ((argument: unknown) => unknown) | undefined;
      if (offered === undefined) throw new PeerError(`there is no call ${name}`);
      send({ answer: id, value: await offered(argument) });
    } catch (error) {
      send({ failure: id, ...failureOf(error) });
    }
  };
  channel.on('message', (received) => {
    for (const message of received as readonly Message[]) {
      if ('call' in message) void answer(message.call, message.name, message.argument);
      else if ('answer' in message) settle(message.answer)?.resolve(message.value as never);
      else settle(message.failure)?.reject(new PeerError(message.message, message.code));
    }
  });
  channel.on('disconnect', gone);
  return {
    call: (name, argument, withinMs) =>
      new Promise((resolve, reject) => {
        const id = ++calls;
        const late = (): void => settle(id)?.reject(new PeerTimeoutError(withinMs));
        const deadline = withinMs === undefined ? undefined : setTimeout(late, withinMs);
        pending.set(id, { resolve, reject, deadline });
        send({ call: id, name, argument });
      }),
  };
}
