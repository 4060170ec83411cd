import { PASSWORD_MAX_CHARACTERS, PASSWORD_MIN_CHARACTERS } from '@svc/service/dashboard/limits';
import { TextField } from '../../ui/form/text-field.tsx';

export interface PasswordFieldProps {
  readonly label?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string | null;
  readonly autoFocus?: boolean;
}

/** For an existing password. */
export const PasswordField = ({ label = 'Password', ...props }: PasswordFieldProps) => (
  <TextField {...props} label={label} type="password" required autoComplete="current-password" />
);

/** For a new password. */
export const NewPasswordField = ({ label = 'Password', ...props }: PasswordFieldProps) => (
  <TextField
    {...props}
    label={label}
    type="password"
    required
    autoComplete="new-password"
    minLength={PASSWORD_MIN_CHARACTERS}
    maxLength={PASSWORD_MAX_CHARACTERS}
    hint={`At least ${PASSWORD_MIN_CHARACTERS} characters. Several random words make a good password.`}
  />
);
