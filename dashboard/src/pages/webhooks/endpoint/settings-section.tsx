import type { WebhookEndpoint } from '@svc/service/webhooks/wire';
import { When } from '../../../format/when.tsx';
import { Section } from '../../../ui/card.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { CodeList, Details, Item } from '../../../ui/details.tsx';
import { CompanyScope } from '../../data/company-scope.tsx';
import { EndpointState } from '../state.tsx';

export interface SettingsSectionProps {
  readonly workspaceId: string;
  readonly endpoint: WebhookEndpoint;
}

/** The settings of an endpoint. A dialog changes them. */
export function SettingsSection({ workspaceId, endpoint }: SettingsSectionProps) {
  const { url, description, types, companyId, ordered, createdAt, updatedAt } = endpoint;
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
        <Item label="Events">{types === null ? 'All' : <CodeList codes={types} />}</Item>
        <Item label="Companies">
          <CompanyScope workspaceId={workspaceId} companyId={companyId} />
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
