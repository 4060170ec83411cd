import { isToken, TOKEN_PREFIXES, TOKEN_RANDOM_CHARACTERS } from '../contract/index.ts';
import { SvcError, SvcKeyError } from '../errors.ts';
import type { Signal } from '../signal.ts';

/** Returns the API key, for example from a store of secrets. */
export type ApiKeyProvider = () => string | Promise<string>;

/** The API key of a client. */
export interface KeySource {
  /** Mode of the key; undefined until a provider has returned the first key. */
  readonly mode: 'live' | 'test' | undefined;
  /** The current key. Rejects with {@link SvcKeyError} if the provider fails. `signal` ends the attempt that needs it. */
  current(signal: Signal): Promise<string>;
  /** The key that replaces one that the service has refused. It is the same key if there is no other. */
  after(refused: string, signal: Signal): Promise<string>;
}

/**
 * The key itself, or a provider that is called for the first request, and again when the service has refused its key. Calls
 * at the same time share one call of the provider, until one of them ends without its key: it may never return.
 */
export function keySource(apiKey: string | ApiKeyProvider): KeySource {
  const provider = typeof apiKey === 'string' ? undefined : apiKey;
  let known = typeof apiKey === 'string' ? apiKey : undefined;
  let pending: Promise<string> | undefined;
  const ask = async (provide: ApiKeyProvider, signal: Signal): Promise<string> => {
    pending ??= providedKey(provide);
    const asked = pending;
    const forget = (): void => {
      if (pending === asked) pending = undefined;
    };
    signal.addEventListener('abort', forget);
    try {
      const key = await asked;
      if (pending === asked) known = key;
      return key;
    } finally {
      forget();
      signal.removeEventListener('abort', forget);
    }
  };
  return {
    get mode() {
      if (known === undefined) return undefined;
      return known.startsWith(TOKEN_PREFIXES.live) ? 'live' : 'test';
    },
    async current(signal) {
      if (known !== undefined || provider === undefined) return known ?? '';
      return ask(provider, signal);
    },
    async after(refused, signal) {
      // Another call has already got the next key.
      if (provider === undefined || known !== refused) return known ?? refused;
      return ask(provider, signal);
    },
  };
}

async function providedKey(provide: ApiKeyProvider): Promise<string> {
  try {
    return checkedApiKey(await provide());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SvcKeyError(`The function \`apiKey\` failed: ${reason.replace(/\.?$/, '.')}`, { cause: error });
  }
}

/** Returns the key without white space around it. Throws {@link SvcError}, which does not show it, unless it is a key. */
export function checkedApiKey(apiKey: string | undefined): string {
  if (apiKey === undefined) throw new SvcError('There is no API key. Pass `apiKey` or set SVC_API_KEY.');
  // A caller who passes null meant to pass a key. The key in the environment may belong to another workspace.
  if (typeof apiKey !== 'string')
    throw new SvcError('"apiKey" must be a string or a function that returns one.');
  const key = apiKey.trim();
  if (!isToken(key)) {
    throw new SvcError(
      `The API key is malformed. A key is ${TOKEN_PREFIXES.live} or ${TOKEN_PREFIXES.test}, followed by ${TOKEN_RANDOM_CHARACTERS} characters.`,
    );
  }
  return key;
}
