import type { KeyDetails } from '@svc/service/dashboard/wire';
import { counted } from '../../../format/plural.ts';
import { When } from '../../../format/when.tsx';
import { Section } from '../../../ui/card.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { CodeList, Details, Item } from '../../../ui/details.tsx';
import { CompanyScope } from '../../data/company-scope.tsx';
import { accessText, ExpiryBadge, KeyState, ModeBadge } from './key-badges.tsx';

export interface KeyDetailsSectionProps {
  readonly workspaceId: string;
  readonly details: KeyDetails;
}

/** The settings and the state of a key. A dialog changes them. */
export function KeyDetailsSection({ workspaceId, details }: KeyDetailsSectionProps) {
  const { key, allowedNetworks, burstLimit, createdBy } = details;
  const { companyId, expiresAt, pausedAt, revokedAt } = key;
  return (
    <Section title="Key">
      <Details>
        <Item label="State">
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <KeyState apiKey={key} />
            {revokedAt === null && pausedAt !== null ? (
              <span className="text-soft">
                since <When at={pausedAt} form="full" />
              </span>
            ) : null}
            {revokedAt === null ? null : <When at={revokedAt} form="full" />}
          </span>
        </Item>
        <Item label="Token">
          <code>{key.hint}</code>
        </Item>
        <Item label="ID">
          <code>{key.id}</code>
          <CopyButton text={key.id} label="Copy ID" />
        </Item>
        <Item label="Mode">
          <ModeBadge mode={key.mode} />
        </Item>
        <Item label="Access">{accessText(key)}</Item>
        <Item label="Companies">
          <CompanyScope workspaceId={workspaceId} companyId={companyId} />
        </Item>
        <Item label="Created">
          <When at={key.createdAt} form="full" />
          {createdBy === null ? null : <> by {createdBy}</>}
        </Item>
        <Item label="Last used">
          <When at={key.lastUsedAt} form="full" />
        </Item>
        <Item label="Expires">
          {expiresAt === null ? (
            'Never'
          ) : (
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <When at={expiresAt} form="full" /> <ExpiryBadge apiKey={key} />
            </span>
          )}
        </Item>
        <Item label="Networks">
          {allowedNetworks === null ? 'Any address' : <CodeList codes={allowedNetworks} />}
        </Item>
        <Item label="Burst limit">
          {burstLimit === null
            ? 'Only that of the workspace'
            : `${counted(burstLimit, ['request', 'requests'])} a second`}
        </Item>
      </Details>
    </Section>
  );
}
