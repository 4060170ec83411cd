import { isToken, TOKEN_PREFIXES, TOKEN_RANDOM_CHARACTERS } from '@svc/sdk/contract';
import { useQuery } from '@tanstack/react-query';
import { SendHorizontal } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../api/action.ts';
import { companySearchQuery } from '../../api/company-names.ts';
import { useWorkspaceId } from '../../session/workspace-id.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Field } from '../../ui/form/field.tsx';
import { Input, Textarea } from '../../ui/form/input.tsx';
import type { Operation } from './openapi.ts';
import { OperationField } from './operation-field.tsx';
import { ParameterField } from './parameter-field.tsx';
import { curlOf, type Draft, sendDraft } from './request.ts';
import { ResponsePanel } from './response-panel.tsx';

type Values = Draft['values'];

function tokenProblem(token: string): string | null {
  if (token.startsWith(TOKEN_PREFIXES.live)) {
    return 'This is a live key. Its requests count towards the quota, and its writes are real. Enter a test key.';
  }
  if (token.startsWith(TOKEN_PREFIXES.test) && isToken(token)) return null;
  return token === ''
    ? 'Enter a test key.'
    : `This is not a test key. A test key is ${TOKEN_PREFIXES.test} followed by ${TOKEN_RANDOM_CHARACTERS} characters.`;
}

/** The example body with the id of an existing company, so that the request succeeds unchanged. */
const exampleOf = (body: string, company: string | undefined): string =>
  company === undefined ? body : body.replaceAll(/("companyId": )"[^"]*"/g, `$1${JSON.stringify(company)}`);

/** Builds a request, sends it and shows the response. The key is only in the memory of this component. */
export function Explorer({ operations }: { readonly operations: readonly Operation[] }) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [id, setId] = useState(operations[0]?.id ?? '');
  // Each operation keeps its own values while the person switches between operations.
  const [allValues, setAllValues] = useState<Readonly<Record<string, Values>>>({});
  const [bodies, setBodies] = useState<Readonly<Record<string, string>>>({});
  const company = useQuery(companySearchQuery(useWorkspaceId(), '')).data?.data[0]?.id;
  const operation = operations.find((one) => one.id === id) ?? operations[0];
  const sending = useAction({ mutationFn: (draft: Draft) => sendDraft(draft, token.trim()) });
  if (operation === undefined) return null;
  const body =
    operation.body === undefined ? undefined : (bodies[operation.id] ?? exampleOf(operation.body, company));
  const values = allValues[operation.id] ?? {};
  const setValues = (next: Values): void => setAllValues({ ...allValues, [operation.id]: next });
  const draft: Draft = { operation, values, body };
  const send = (request: Draft): void => {
    const found = tokenProblem(token.trim());
    setProblem(found);
    if (found === null) void sending.run(request);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send(draft);
  };
  const showNextPage = (cursor: string): void => {
    const next = { ...values, cursor };
    setValues(next);
    send({ ...draft, values: next });
  };
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <Section title="Request">
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field
            label="Test key"
            hint="Kept in memory until you leave this page, and sent only to this service."
            error={problem}
          >
            {(control) => (
              <Input
                {...control}
                type="password"
                autoComplete="off"
                spellCheck={false}
                placeholder="svc_test_…"
                className="font-mono"
                value={token}
                onChange={({ target }) => {
                  setToken(target.value);
                  setProblem(null);
                }}
              />
            )}
          </Field>
          <OperationField
            operations={operations}
            value={operation.id}
            onChange={(next) => {
              setId(next);
              sending.reset();
            }}
          />
          {operation.parameters.map((parameter) => (
            <ParameterField
              key={`${operation.id} ${parameter.name}`}
              parameter={parameter}
              value={values[parameter.name] ?? ''}
              onChange={(value) => setValues({ ...values, [parameter.name]: value })}
            />
          ))}
          {body === undefined ? null : (
            <Field label="Body">
              {(control) => (
                <Textarea
                  {...control}
                  spellCheck={false}
                  rows={Math.min(16, body.split('\n').length + 1)}
                  className="font-mono text-sm"
                  value={body}
                  onChange={({ target }) => setBodies({ ...bodies, [operation.id]: target.value })}
                />
              )}
            </Field>
          )}
          <Button type="submit" variant="primary" busy={sending.isPending} className="self-start">
            {sending.isPending ? null : <SendHorizontal size={14} aria-hidden />}
            Send request
          </Button>
        </form>
      </Section>
      <div className="flex min-w-0 flex-col gap-5">
        <Section title="curl command">
          <CodeBlock label="curl" code={curlOf(draft)} />
        </Section>
        <ResponsePanel
          response={sending.data}
          error={sending.error}
          busy={sending.isPending}
          onNext={showNextPage}
        />
      </div>
    </div>
  );
}
