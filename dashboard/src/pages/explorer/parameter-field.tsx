import { Field } from '../../ui/form/field.tsx';
import { Input } from '../../ui/form/input.tsx';
import { Select } from '../../ui/form/select.tsx';
import type { ParameterSpec } from './openapi.ts';

export interface ParameterFieldProps {
  readonly parameter: ParameterSpec;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** One parameter of the path or the query, as its schema says. */
export function ParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const { name, required = false, description, schema } = parameter;
  const choices = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined);
  const usual = schema.default === undefined ? '' : String(schema.default);
  return (
    <Field label={name} hint={firstSentence(description)} optional={!required}>
      {(control) =>
        choices === undefined ? (
          <Input
            {...control}
            required={required}
            value={value}
            placeholder={usual === '' ? String(schema.examples?.[0] ?? '') : usual}
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
              { value: '', label: usual === '' ? 'not sent' : `default: ${usual}` },
              ...choices.map((choice) => ({ value: choice, label: choice })),
            ]}
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }
    </Field>
  );
}

/** Descriptions are Markdown for the reference; the first sentence is enough here. */
const firstSentence = (description = ''): string =>
  (/^[\s\S]*?[.:](?=\s|$)/.exec(description)?.[0] ?? description).replaceAll('`', '').replace(/:$/, '.');
