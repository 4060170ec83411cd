export { onFileEnd } from '@svc/embedded-postgres/testing';
