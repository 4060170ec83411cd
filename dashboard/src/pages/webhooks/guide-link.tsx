import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { serviceUrl } from '../../base.ts';

/** A link to the guide about webhooks, which has receivers that verify signatures. */
export const GuideLink = ({ children }: { readonly children: ReactNode }) => (
  <a
    href={`${serviceUrl()}/docs/webhooks`}
    target="_blank"
    rel="noreferrer"
    className="text-accent underline"
  >
    {children}
    <ExternalLink size={12} aria-label="opens in a new tab" className="ms-1 inline" />
  </a>
);
