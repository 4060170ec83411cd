import { type ComponentType, useEffect, useEffectEvent, useState } from 'react';
import { unreachable } from '../api/failure.ts';
import { toast } from '../ui/toast/toast-store.ts';
import { serviceAnswers } from './service-answers.ts';

const RETRY_MS = 2_000;

/**
 * Loads the code of a component when `wanted` is true. Returns null until it is loaded. If the service responds but the
 * code is missing, there is a newer release: it is not asked for again while `wanted` stays true.
 *
 * `onFailure`: called after a toast has said why the code could not be loaded. It must set `wanted` to false. Default: there
 * is no toast, and the code is loaded as soon as the service responds.
 */
export function useChunk<Props>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
  wanted: boolean,
  onFailure?: () => void,
): ComponentType<Props> | null {
  const [part, setPart] = useState<ComponentType<Props> | null>(null);
  const failed = useEffectEvent(() => onFailure?.());
  const reports = onFailure !== undefined;
  const missing = wanted && part === null;
  useEffect(() => {
    if (!missing) return;
    let ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const succeeds = (): Promise<boolean> =>
      load().then(
        (module) => {
          if (!ended) setPart(() => module.default);
          return true;
        },
        () => false,
      );
    const attempt = async (): Promise<void> => {
      if (await succeeds()) return;
      const answers = await serviceAnswers();
      // Once more: the service may have been away for a moment.
      if (answers && (await succeeds())) return;
      if (ended) return;
      if (reports) {
        toast(answers ? 'There is a newer release. Reload the page.' : unreachable().message, 'bad');
        failed();
      } else if (!answers) timer = setTimeout(() => void attempt(), RETRY_MS);
    };
    void attempt();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [missing, reports, load]);
  return part;
}
