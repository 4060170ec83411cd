import { Field } from '../../ui/form/field.tsx';
import { Input } from '../../ui/form/input.tsx';
import { Select } from '../../ui/form/select.tsx';
import type { ParameterSpec } from './openapi.ts';

export interface ParameterFieldProps {
  readonly parameter: ParameterSpec;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The control for one parameter of the path or the query, chosen by its schema. */
export function ParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const { name, required = false, description, schema } = parameter;
  const choices = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined);
  const defaultValue = schema.default === undefined ? '' : String(schema.default);
  return (
    <Field label={name} hint={firstSentence(description)} optional={!required}>
      {(control) =>
        choices === undefined ? (
          <Input
            {...control}
            required={required}
            value={value}
            placeholder={defaultValue === '' ? String(schema.examples?.[0] ?? '') : defaultValue}
            spellCheck={false}
            autoComplete="off"
            className="font-mono"
            onChange={({ target }) => onChange(target.value)}
          />
        ) : (
          <Select
            {...control}
            value={value}
            options={[
              { value: '', label: defaultValue === '' ? 'Not set' : `Default: ${defaultValue}` },
              ...choices.map((choice) => ({ value: choice, label: choice })),
            ]}
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }
    </Field>
  );
}

/** The first sentence of a Markdown description, as plain text. */
const firstSentence = (description = ''): string =>
  (/^[\s\S]*?[.:](?=\s|$)/.exec(description)?.[0] ?? description).replaceAll('`', '').replace(/:$/, '.');
