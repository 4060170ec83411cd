import { fieldLabel } from '../../../resources/labels.ts';
import type { DataRecord, ResourceContract } from '../../../resources/resources.ts';
import { classes } from '../../../ui/classes.ts';
import { Value } from '../value.tsx';

/** Height of a row with its name and two lines of values. */
export const STACKED_ROW_PIXELS = 88;

export interface StackedValuesProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  readonly record: DataRecord;
  /** The fields to show, without the name of the record. */
  readonly names: readonly string[];
  /** The field that the list is sorted by. */
  readonly sorted: string;
  readonly companyName: (id: string) => string;
}

/**
 * The values of a record in two lines, for windows that are too narrow for columns: first what people look for, that is
 * figures, choices and one time, then the texts.
 */
export function StackedValues({ resource, record, names, sorted, ...props }: StackedValuesProps) {
  const kindOf = (name: string) => resource.fields[name]?.kind;
  const figures = names.filter((name) => kindOf(name) === 'integer' || kindOf(name) === 'choice');
  const times = names.filter((name) => kindOf(name) === 'time');
  const time = times.find((name) => name === sorted) ?? times[0];
  const texts = names.filter((name) => kindOf(name) === 'text' || kindOf(name) === 'id');
  const value = (name: string) => {
    const field = resource.fields[name];
    return field === undefined ? null : <Value {...props} name={name} field={field} value={record[name]} />;
  };
  return (
    <>
      <div className="flex h-6 items-center gap-3 overflow-hidden text-sm whitespace-nowrap">
        {figures.map((name) => (
          <span key={name}>{value(name)}</span>
        ))}
        {time === undefined ? null : (
          <span className="truncate text-soft">
            {fieldLabel(time)} {value(time)}
          </span>
        )}
      </div>
      {texts.length === 0 ? null : (
        <div className="flex h-6 items-center gap-3 text-sm text-soft">
          {texts.map((name) => (
            <span key={name} className={classes('min-w-0 truncate', texts.length > 1 && 'max-w-1/2')}>
              {value(name)}
            </span>
          ))}
        </div>
      )}
    </>
  );
}
