export { temporaryDirectory } from '@svc/embedded-postgres/testing';
