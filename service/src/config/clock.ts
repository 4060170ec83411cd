/** Wall-clock time in milliseconds since the epoch. Passed in wherever time decides, so that tests can move it. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;
