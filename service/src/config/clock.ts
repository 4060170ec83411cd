/** Returns the time in milliseconds since the epoch. Passed as a parameter, so that tests can set it. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;
