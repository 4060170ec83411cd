/** The path below which the service is reached, with a slash at its end. Built files lie in one folder below it. */
export const BASE_PATH = new URL(/* @vite-ignore */ '../', import.meta.url).pathname;

/** The address of the API as programs reach it, without a slash at its end. */
export const serviceUrl = (): string => `${location.origin}${BASE_PATH}`.replace(/\/$/, '');
