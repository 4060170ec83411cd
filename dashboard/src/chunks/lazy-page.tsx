import { type ComponentType, createElement, use } from 'react';
import { forgetReload } from './reload-once.ts';

/** The code of a page could not be loaded: the service is away, or a newer release has replaced the file. */
export class ChunkFailure extends Error {
  /** The page. */
  readonly page: string;
  /** Loads the code again; whether it is there now. */
  readonly retry: () => Promise<boolean>;

  constructor(page: string, retry: () => Promise<boolean>, cause: unknown) {
    super('The page could not be loaded.', { cause });
    this.name = 'ChunkFailure';
    this.page = page;
    this.retry = retry;
  }
}

/**
 * A page whose code is loaded when it is needed. Throws ChunkFailure where it is rendered, and nowhere else: the router's
 * lazyRouteComponent reloads the window instead, which shows the browser's error page while the service is away.
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
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each page, where its route is declared
  const LazyPage = () => {
    if (page === undefined && failure !== undefined) throw failure;
    if (page === undefined) use(start());
    return page === undefined ? null : createElement(page);
  };
  return Object.assign(LazyPage, { preload: start });
}
