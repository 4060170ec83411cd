export { answeringClient } from './answering-client.ts';
export { takeOptions } from './options.ts';
