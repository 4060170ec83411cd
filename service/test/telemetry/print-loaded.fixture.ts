import { registerHooks } from 'node:module';

/** Importing this file makes a process print that it loads the SDK of OpenTelemetry. The sign-in always loads its API. */

let printed = false;
registerHooks({
  load(url, context, next) {
    if (/\/@opentelemetry\/(?:sdk|otlp|exporter)/.test(url) && !printed) {
      printed = true;
      process.stderr.write('this process loads OpenTelemetry\n');
    }
    return next(url, context);
  },
});
