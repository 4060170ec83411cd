import { SvcError } from '../errors.ts';

/** A server-sent event. */
export interface ServerEvent {
  /** @default 'message' */
  readonly event: string;
  /** Undefined: the event has no data, only perhaps an id. */
  readonly data: string | undefined;
  /** Undefined: this event has none, or an empty one. */
  readonly id: string | undefined;
}

/** The longest event, in characters. The service sends no change that is longer. */
const EVENT_MAX_CHARACTERS = 8 * 1024 * 1024;

/** The last line of a text may not be complete yet: it has no end. */
const LINE = /([^\r\n]*)(\r\n|\r|\n|$)/y;

/**
 * Parses a stream of server-sent events (WHATWG HTML, section 9.2.6), whose text may be divided anywhere. Unlike
 * `EventSource`, it also gives events without data, because their id is a position. Its memory is bounded.
 */
export class ServerEventParser {
  /** The beginning of a line whose end has not arrived. */
  #line = '';
  /** The last character was CR. An LF that follows belongs to it. */
  #afterCr = false;
  #event = '';
  #data: string | undefined;
  #id: string | undefined;
  #retryMs: number | undefined;
  /** The characters of the complete lines of this event. */
  #length = 0;

  /** The pause before the next connection that the server asks for, in milliseconds. Undefined: it asks for none. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Yields the events that this text completes. Throws {@link SvcError} if an event is too long. */
  *push(text: string): Generator<ServerEvent, void, undefined> {
    const line = new RegExp(LINE);
    line.lastIndex = this.#afterCr && text.startsWith('\n') ? 1 : 0;
    if (text !== '') this.#afterCr = text.endsWith('\r');
    while (line.lastIndex < text.length) {
      const [, part = '', end = ''] = line.exec(text) ?? [];
      this.#line += part;
      if (this.#length + this.#line.length > EVENT_MAX_CHARACTERS)
        throw new SvcError('The stream has an event of more than 8 Mi characters.');
      if (end === '') return;
      const complete = this.#line;
      this.#line = '';
      if (complete !== '') this.#readField(complete);
      else yield this.#take();
    }
  }

  #readField(line: string): void {
    this.#length += line.length;
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    else if (name === 'event') this.#event = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.#retryMs = Number(value);
  }

  #take(): ServerEvent {
    const event = { event: this.#event || 'message', data: this.#data, id: this.#id || undefined };
    [this.#event, this.#data, this.#id, this.#length] = ['', undefined, undefined, 0];
    return event;
  }
}
