import { type ComponentType, useEffect, useEffectEvent, useState } from 'react';

const RETRY_MS = 2_000;

/**
 * Loads the code of a component when `wanted` is true. Returns null until it is loaded. After a failure, calls `onFailure`
 * and tries again while `wanted` is true.
 */
export function useChunk<Props>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
  wanted: boolean,
  onFailure?: () => void,
): ComponentType<Props> | null {
  const [part, setPart] = useState<ComponentType<Props> | null>(null);
  const failed = useEffectEvent(() => onFailure?.());
  const missing = wanted && part === null;
  useEffect(() => {
    if (!missing) return;
    let ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const attempt = (): void => {
      load().then(
        (module) => {
          if (!ended) setPart(() => module.default);
        },
        () => {
          if (ended) return;
          failed();
          timer = setTimeout(attempt, RETRY_MS);
        },
      );
    };
    attempt();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [missing, load]);
  return part;
}
