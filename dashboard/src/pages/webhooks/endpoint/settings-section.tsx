import { CONTRACT } from '@svc/sdk/contract';
import type { WebhookEndpoint } from '@svc/service/webhooks/wire';
import { Link } from '@tanstack/react-router';
import { useCompanyNames } from '../../../api/company-names.ts';
import { When } from '../../../format/when.tsx';
import { Section } from '../../../ui/card.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Details, Item } from '../../../ui/details.tsx';
import { EndpointState } from '../state.tsx';

export interface SettingsSectionProps {
  readonly workspaceId: string;
  readonly endpoint: WebhookEndpoint;
}

/** The settings of an endpoint. A dialog changes them. */
export function SettingsSection({ workspaceId, endpoint }: SettingsSectionProps) {
  const { url, description, types, companyId, ordered, createdAt, updatedAt } = endpoint;
  const nameOf = useCompanyNames(workspaceId, [companyId]);
  return (
    <Section title="Endpoint">
      <Details>
        <Item label="State">
          <EndpointState endpoint={endpoint} />
        </Item>
        <Item label="URL">
          {url} <CopyButton text={url} label="Copy the URL" />
        </Item>
        {description === '' ? null : <Item label="Description">{description}</Item>}
        <Item label="Events">
          {types === null ? (
            'All'
          ) : (
            <ul className="flex flex-wrap gap-x-3 gap-y-1">
              {types.map((type) => (
                <li key={type}>
                  <code>{type}</code>
                </li>
              ))}
            </ul>
          )}
        </Item>
        <Item label="Companies">
          {companyId === null ? (
            'All'
          ) : (
            <Link
              to="/w/$workspaceId/data/$resource/$recordId"
              params={{ workspaceId, resource: CONTRACT.companies.name, recordId: companyId }}
              className="hover:underline"
            >
              {nameOf(companyId)}
            </Link>
          )}
        </Item>
        <Item label="Order">
          {ordered
            ? 'Ordered: an event that fails holds back the later ones'
            : 'Unordered: no event waits for another'}
        </Item>
        <Item label="Created">
          <When at={createdAt} form="full" />
        </Item>
        <Item label="Changed">
          <When at={updatedAt} form="full" />
        </Item>
      </Details>
    </Section>
  );
}
