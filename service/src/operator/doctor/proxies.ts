import { PROXY_MISTAKES, PROXY_MISTAKES_METRIC, type ProxyMistake } from '../../http/proxy-warnings.ts';
import { type Finding, ok, warn } from './check.ts';

const LINE = new RegExp(`^${PROXY_MISTAKES_METRIC}\\{mistake="(\\w+)"\\} (\\d+)$`, 'gm');

const isMistake = (name: string): name is ProxyMistake => name in PROXY_MISTAKES;

/** What the running service has seen of the proxies in front of it, from the text of its metrics. */
export function checkProxies(metrics: string): Finding {
  for (const [, name = '', count = ''] of metrics.matchAll(LINE)) {
    if (isMistake(name) && count !== '0')
      return warn(
        'proxies',
        `since its start: ${PROXY_MISTAKES[name]} (${count} requests)`,
        'set SVC_TRUST_PROXY',
      );
  }
  return ok('proxies', 'no request shows a mistake in SVC_TRUST_PROXY');
}
