import { isToken, TOKEN_PREFIXES, TOKEN_RANDOM_CHARACTERS } from '@svc/sdk/contract';
import { Choice } from '../../ui/form/choice.tsx';
import { Field } from '../../ui/form/field.tsx';
import { Input } from '../../ui/form/input.tsx';

/** Who sends the requests: the signed-in member, or a program with a key. */
export type Sender = 'member' | 'key';

const SENDERS = [
  { value: 'member', label: 'You', hint: 'Without a key, with what your role may do.' },
  { value: 'key', label: 'A test key', hint: 'With what the key may do.' },
] as const;

/** Why the text is not a test key. Null: it can be one. */
export function tokenProblem(token: string): string | null {
  if (token.startsWith(TOKEN_PREFIXES.live)) {
    return 'This is a live key. Its requests count towards the quota, and its writes are real. Enter a test key.';
  }
  if (token.startsWith(TOKEN_PREFIXES.test) && isToken(token)) return null;
  return token === ''
    ? 'Enter a test key.'
    : `This is not a test key. A test key is ${TOKEN_PREFIXES.test} followed by ${TOKEN_RANDOM_CHARACTERS} characters.`;
}

export interface SenderFieldsProps {
  readonly sender: Sender;
  readonly token: string;
  readonly problem: string | null;
  readonly onSender: (sender: Sender) => void;
  readonly onToken: (token: string) => void;
}

/** Chooses who sends the requests. */
export const SenderFields = ({ sender, token, problem, onSender, onToken }: SenderFieldsProps) => (
  <>
    <Choice<Sender> label="Send as" value={sender} onChange={onSender} options={SENDERS} />
    {sender === 'member' ? null : (
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
            onChange={({ target }) => onToken(target.value)}
          />
        )}
      </Field>
    )}
  </>
);
