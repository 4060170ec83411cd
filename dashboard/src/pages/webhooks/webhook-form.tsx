import {
  WEBHOOK_DESCRIPTION_MAX_CHARACTERS,
  WEBHOOK_URL_MAX_CHARACTERS,
} from '@svc/service/dashboard/limits';
import type { CompanyNames } from '@svc/service/dashboard/wire';
import type { ReactNode } from 'react';
import type { WebhookSettings } from '../../api/webhooks.ts';
import { Choice } from '../../ui/form/choice.tsx';
import { Form, type FormProps, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { CompanyChoice } from '../keys/company-choice.tsx';
import { TypeChoice } from './type-choice.tsx';

/** The settings of an endpoint, as a form has them. */
export interface WebhookDraft extends Omit<WebhookSettings, 'companyId'> {
  /** Null: all companies. Undefined: one company, not yet chosen. */
  readonly company: CompanyNames['data'][number] | null | undefined;
}

/** Why the form cannot be sent yet; undefined if it can. */
export const whyIncomplete = ({ types, company }: WebhookDraft): string | undefined =>
  company === undefined
    ? 'Choose a company first.'
    : types?.length === 0
      ? 'Choose at least one type of event.'
      : undefined;

export const settingsOf = ({ company, ...rest }: WebhookDraft): WebhookSettings => ({
  ...rest,
  companyId: company?.id ?? null,
});

const ORDERS = [
  {
    value: 'ordered',
    label: 'Ordered',
    hint: 'Events arrive in the order in which they happened; one that fails holds back the later ones.',
  },
  {
    value: 'unordered',
    label: 'Unordered',
    hint: 'An event that fails is sent again later, and the others do not wait for it.',
  },
] as const;

/** The fields that show their own errors. */
const FIELDS = ['url', 'description', 'types'];

export interface WebhookFormProps extends Pick<FormProps, 'action' | 'unsaved'> {
  readonly workspaceId: string;
  readonly draft: WebhookDraft;
  readonly onChange: (draft: WebhookDraft) => void;
  /** The buttons. */
  readonly actions: ReactNode;
}

export function WebhookForm({ workspaceId, draft, onChange, ...form }: WebhookFormProps) {
  const { error } = form.action;
  const set = (change: Partial<WebhookDraft>): void => onChange({ ...draft, ...change });
  return (
    <Form {...form} fields={FIELDS}>
      <TextField
        label="URL"
        hint="The address that receives the events as POST requests."
        required
        autoFocus
        type="url"
        inputMode="url"
        spellCheck={false}
        autoComplete="off"
        placeholder="https://example.com/webhooks"
        maxLength={WEBHOOK_URL_MAX_CHARACTERS}
        value={draft.url}
        onChange={(url) => set({ url })}
        error={fieldError(error, 'url')}
      />
      <TextField
        label="Description (optional)"
        autoComplete="off"
        maxLength={WEBHOOK_DESCRIPTION_MAX_CHARACTERS}
        value={draft.description}
        onChange={(description) => set({ description })}
        error={fieldError(error, 'description')}
      />
      <TypeChoice
        types={draft.types}
        onChange={(types) => set({ types })}
        error={fieldError(error, 'types')}
      />
      <CompanyChoice
        workspaceId={workspaceId}
        company={draft.company}
        onChange={(company) => set({ company })}
      />
      <Choice
        label="Order"
        value={draft.ordered ? 'ordered' : 'unordered'}
        onChange={(order) => set({ ordered: order === 'ordered' })}
        options={ORDERS}
      />
    </Form>
  );
}
