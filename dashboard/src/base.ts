/** Base path of the service, with a trailing slash. The built files are in a folder directly below it. */
export const BASE_PATH = new URL(/* @vite-ignore */ '../', import.meta.url).pathname;

/** Base URL of the API, without a trailing slash. */
export const serviceUrl = (): string => `${location.origin}${BASE_PATH}`.replace(/\/$/, '');
