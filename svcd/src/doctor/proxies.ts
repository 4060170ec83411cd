import { PROXY_MISTAKES, PROXY_MISTAKES_METRIC, type ProxyMistake } from '@svc/ip-addresses/proxies';
import { counted } from '@svc/service/config/plural';
import { type Finding, ok, warn } from './check.ts';

const LINE = new RegExp(`^${PROXY_MISTAKES_METRIC}\\{mistake="(\\w+)"\\} (\\d+)$`, 'gm');

const isMistake = (name: string): name is ProxyMistake => name in PROXY_MISTAKES;

/** Warns of a mistake in SVC_TRUST_PROXY that the running service has counted in its metrics. */
export function checkProxies(metrics: string): Finding {
  for (const [, name = '', count = ''] of metrics.matchAll(LINE)) {
    if (isMistake(name) && count !== '0')
      return warn(
        'proxies',
        `since the start of the service: ${PROXY_MISTAKES[name]} (${counted(Number(count), 'request', 'requests')})`,
        'set SVC_TRUST_PROXY',
      );
  }
  return ok('proxies', 'SVC_TRUST_PROXY fits all requests so far');
}
