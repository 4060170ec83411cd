import { type ComponentType, createElement, use } from 'react';
import { forgetReload } from './reload-once.ts';

/** The code of a page could not be loaded: the service is down, or a newer release has replaced the file. */
export class ChunkFailure extends Error {
  /** Name of the page's component. */
  readonly page: string;
  /** Loads the code again. Resolves to whether that succeeded. */
  readonly retry: () => Promise<boolean>;

  constructor(page: string, retry: () => Promise<boolean>, cause: unknown) {
    super('The page could not be loaded.', { cause });
    this.name = 'ChunkFailure';
    this.page = page;
    this.retry = retry;
  }
}

/**
 * A page whose code is loaded on demand. Only rendering throws ChunkFailure. The router's lazyRouteComponent is no
 * alternative: it reloads the window, which shows the browser's error page while the service is down.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Readonly<Record<Name, ComponentType>>>,
  name: Name,
) {
  let page: ComponentType | undefined;
  let failure: ChunkFailure | undefined;
  let loading: Promise<void> | undefined;
  const start = (): Promise<void> => {
    loading ??= load()
      .then(
        (module) => {
          page = module[name];
          failure = undefined;
          forgetReload(name);
        },
        (cause: unknown) => {
          failure = new ChunkFailure(name, retry, cause);
        },
      )
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };
  const retry = async (): Promise<boolean> => {
    if (page === undefined) await start();
    return page !== undefined;
  };
  // biome-ignore lint/correctness/noComponentHookFactories: called once per page, where its route is declared
  const LazyPage = () => {
    if (page === undefined && failure !== undefined) throw failure;
    if (page === undefined) use(start());
    return page === undefined ? null : createElement(page);
  };
  return Object.assign(LazyPage, { preload: start });
}
