export {
  fastDirectory,
  makeTemporaryDirectory,
  temporaryDirectory,
} from '@svc/embedded-postgres/testing';
