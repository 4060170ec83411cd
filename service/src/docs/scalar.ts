import Fastify from 'fastify';

const PREFIX = '/scalar';

/**
 * Scalar's script for the browser, 4 MB. Its Fastify plugin carries it, as text without a file of its own; an
 * application that nobody else reaches hands it out. (`@scalar/api-reference` has it as a file, and brings 250
 * packages more.)
 */
export async function readScalar(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const carrier = Fastify();
  await carrier.register(plugin, { routePrefix: PREFIX, configuration: { url: '/' } });
  const { statusCode, body } = await carrier.inject(`${PREFIX}/js/scalar.js`);
  await carrier.close();
  if (statusCode !== 200) throw new Error(`Scalar's plugin answered ${statusCode}.`);
  // There is no such file here.
  return body.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
}
