import type { Sampling } from './settings.ts';

/** How many requests per second and process may be traced because their client asks for it. */
export const FORCED_PER_SECOND = 10;

/** Decides which traces are recorded. */
export interface Sampler {
  /** `parentSampled`: the flag of the client's `traceparent`. Undefined: it sent none. */
  readonly isSampled: (parentSampled: boolean | undefined) => boolean;
}

/**
 * Anyone can send a `traceparent` that asks for a trace, so this is granted FORCED_PER_SECOND times per second. Further
 * requests are sampled like those without one. The ratio is drawn here and not from the trace id, which a client chooses.
 */
export function createSampler(
  { ratio, parentBased }: Sampling,
  { nowMs = () => performance.now(), random = Math.random } = {},
): Sampler {
  let forced = FORCED_PER_SECOND;
  let sinceMs = nowMs();
  const mayForce = (): boolean => {
    const now = nowMs();
    forced = Math.min(FORCED_PER_SECOND, forced + ((now - sinceMs) / 1000) * FORCED_PER_SECOND);
    sinceMs = now;
    if (forced < 1) return false;
    forced -= 1;
    return true;
  };
  return {
    isSampled(parentSampled) {
      if (parentBased && parentSampled === false) return false;
      if (parentBased && parentSampled === true && mayForce()) return true;
      return random() < ratio;
    },
  };
}
