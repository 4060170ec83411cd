import { useQuery } from '@tanstack/react-query';
import { SendHorizontal } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAction } from '../../api/action.ts';
import { companySearchQuery } from '../../api/company-names.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { useLastingDraft } from '../../session/draft.ts';
import { whyNot } from '../../session/permissions.ts';
import { useWorkspaceId } from '../../session/workspace-id.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Field } from '../../ui/form/field.tsx';
import { Textarea } from '../../ui/form/input.tsx';
import type { Operation } from './openapi.ts';
import { OperationField } from './operation-field.tsx';
import { ParameterField } from './parameter-field.tsx';
import { blockedBy, curlOf, type Draft, sendAsMember, sendWithKey } from './request.ts';
import { ResponsePanel } from './response-panel.tsx';
import { type Sender, SenderFields, tokenProblem } from './sender-fields.tsx';

type Values = Draft['values'];

/** The example body with the id of an existing company, so that the request succeeds unchanged. */
const exampleOf = (body: string, company: string | undefined): string =>
  company === undefined ? body : body.replaceAll(/("companyId": )"[^"]*"/g, `$1${JSON.stringify(company)}`);

/** Builds a request, sends it and shows the response. A key is only in the memory of this component. */
export function Explorer({ operations }: { readonly operations: readonly Operation[] }) {
  const workspaceId = useWorkspaceId();
  const { role } = useWorkspace(workspaceId);
  const [sender, setSender] = useState<Sender>('member');
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [id, setId] = useLastingDraft(`explorer ${workspaceId}`, operations[0]?.id ?? '');
  // Each operation keeps its own values while the person switches between operations.
  const [allValues, setAllValues] = useLastingDraft<Readonly<Record<string, Values>>>(
    `parameters ${workspaceId}`,
    {},
  );
  const [bodies, setBodies] = useLastingDraft<Readonly<Record<string, string>>>(`bodies ${workspaceId}`, {});
  const company = useQuery(companySearchQuery(workspaceId, '')).data?.data[0]?.id;
  const operation = operations.find((one) => one.id === id) ?? operations[0];
  const stop = useRef(new AbortController());
  const sending = useAction({
    mutationFn: (draft: Draft) => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      return sender === 'member'
        ? sendAsMember(draft, workspaceId, signal)
        : sendWithKey(draft, token.trim(), signal);
    },
  });
  // A request may wait for a long time. Nobody sees its response any more.
  useEffect(() => () => stop.current.abort(), []);
  if (operation === undefined) return null;
  const body =
    operation.body === undefined ? undefined : (bodies[operation.id] ?? exampleOf(operation.body, company));
  const values = allValues[operation.id] ?? {};
  const setValues = (next: Values): void => setAllValues({ ...allValues, [operation.id]: next });
  const typed = operation.id in allValues || operation.id in bodies;
  const reset = (): void => {
    const { [operation.id]: _values, ...otherValues } = allValues;
    const { [operation.id]: _body, ...otherBodies } = bodies;
    setAllValues(otherValues);
    setBodies(otherBodies);
  };
  const draft: Draft = { operation, values, body };
  const send = (request: Draft): void => {
    const found = sender === 'member' ? null : tokenProblem(token.trim());
    setProblem(found);
    if (found === null) void sending.run(request);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send(draft);
  };
  const showNextPage = (next: Draft): void => {
    setValues(next.values);
    send(next);
  };
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <Section title="Request">
        <form onSubmit={submit} className="flex flex-col gap-4">
          <SenderFields
            sender={sender}
            token={token}
            problem={problem}
            onSender={(next) => {
              setSender(next);
              setProblem(null);
            }}
            onToken={(next) => {
              setToken(next);
              setProblem(null);
            }}
          />
          <OperationField
            operations={operations}
            value={operation.id}
            onChange={(next) => {
              setId(next);
              stop.current.abort();
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
          <div className="flex flex-wrap gap-2">
            <Button
              type="submit"
              variant="primary"
              busy={sending.isPending}
              blocked={blockedBy(draft, sender, whyNot(role, 'record.change'))}
            >
              {sending.isPending ? null : <SendHorizontal size={14} aria-hidden />}
              Send request
            </Button>
            <Button
              variant="ghost"
              blocked={typed ? undefined : 'These are the values of the example.'}
              onClick={reset}
            >
              Reset
            </Button>
          </div>
        </form>
      </Section>
      {/* Stays in view next to a long request. */}
      <div className="flex min-w-0 flex-col gap-5 lg:sticky lg:top-7 lg:max-h-[calc(100dvh-3.5rem)] lg:overflow-y-auto">
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
