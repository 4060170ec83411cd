import { useTimeZone } from '../../../format/time-zone.ts';
import { changedWall, LAST_MINUTE, wallTime } from '../../../format/wall-time.ts';
import { fieldLabel, valueLabel } from '../../../resources/labels.ts';
import { type Field, isLongText } from '../../../resources/resources.ts';
import { Field as LabelledField } from '../../../ui/form/field.tsx';
import { Input, Textarea } from '../../../ui/form/input.tsx';
import { Select } from '../../../ui/form/select.tsx';
import type { FieldErrors, FormField, FormValues } from './record-form.ts';

export interface RecordFieldsProps {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  readonly errors: FieldErrors;
  /** The field that has the focus when the form opens. Default: none. */
  readonly autoFocus?: string | undefined;
  readonly onChange: (values: FormValues) => void;
}

/** A control for each field of a record. */
export const RecordFields = ({ fields, values, errors, autoFocus, onChange }: RecordFieldsProps) =>
  fields.map(([name, field]) => (
    <RecordField
      key={name}
      name={name}
      field={field}
      value={values[name] ?? ''}
      error={errors[name]}
      autoFocus={name === autoFocus}
      onChange={(value) => onChange({ ...values, [name]: value })}
    />
  ));

interface RecordFieldProps {
  readonly name: string;
  readonly field: Field;
  readonly value: string;
  readonly error: string | undefined;
  readonly autoFocus: boolean;
  readonly onChange: (value: string) => void;
}

function RecordField({ name, field, error, ...control }: RecordFieldProps) {
  const zone = useTimeZone();
  const { nullable } = field;
  return (
    <LabelledField
      label={fieldLabel(name)}
      hint={hintOf(field, zone)}
      error={error}
      optional={nullable === true}
    >
      {(attributes) => <Control {...control} {...attributes} field={field} zone={zone} />}
    </LabelledField>
  );
}

function hintOf(field: Field, zone: string): string {
  const { kind, description } = field;
  if (kind === 'time') return `${description} The time zone is ${zone}.`;
  return kind === 'text' && field.rule === 'domain'
    ? `${description} For example ${field.example}.`
    : description;
}

interface ControlProps extends Omit<RecordFieldProps, 'name' | 'error'> {
  readonly id: string;
  readonly zone: string;
}

function Control({ field, zone, value, onChange, ...attributes }: ControlProps) {
  const required = field.nullable !== true;
  const onInput = ({ target }: { readonly target: { readonly value: string } }): void =>
    onChange(target.value);
  if (field.kind === 'choice') {
    const options = field.values.map((one) => ({ value: one, label: valueLabel(one) }));
    const none = { value: '', label: required ? 'Choose…' : 'None' };
    const empty = value === '' || !required ? [none] : [];
    return (
      <Select
        {...attributes}
        required={required}
        value={value}
        options={[...empty, ...options]}
        onChange={onInput}
      />
    );
  }
  if (field.kind === 'time') {
    return (
      <Input
        {...attributes}
        type="datetime-local"
        required={required}
        max={LAST_MINUTE}
        value={value === '' ? '' : wallTime(value, zone)}
        onChange={({ target }) => onChange(target.value === '' ? '' : changedWall(target.value, zone, value))}
      />
    );
  }
  if (field.kind === 'integer') {
    return (
      <Input
        {...attributes}
        type="number"
        required={required}
        min={field.min}
        max={field.max}
        value={value}
        onChange={onInput}
      />
    );
  }
  const text = {
    ...attributes,
    required: required && !(field.kind === 'text' && field.min === 0),
    ...(field.kind === 'text' ? { maxLength: field.max } : {}),
    value,
  };
  return isLongText(field) ? (
    <Textarea {...text} onChange={onInput} />
  ) : (
    <Input {...text} autoComplete="off" onChange={onInput} />
  );
}
