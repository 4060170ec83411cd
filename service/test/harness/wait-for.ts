export { waitFor } from '@svc/embedded-postgres/testing';
