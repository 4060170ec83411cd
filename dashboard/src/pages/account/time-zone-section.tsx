import { useState } from 'react';
import { useNow } from '../../format/now.ts';
import { formatTime } from '../../format/time.ts';
import {
  BROWSER_ZONE,
  isTimeZone,
  setTimeZone,
  timeZone,
  useChosenTimeZone,
} from '../../format/time-zone.ts';
import { Section } from '../../ui/card.tsx';
import { Field } from '../../ui/form/field.tsx';
import { Select } from '../../ui/form/select.tsx';
import { TextField } from '../../ui/form/text-field.tsx';

const BROWSER = 'browser';
const UTC = 'UTC';
const OTHER = 'other';
const OPTIONS = [
  { value: BROWSER, label: `Browser (${BROWSER_ZONE})` },
  { value: UTC, label: 'UTC' },
  { value: OTHER, label: 'Another zone' },
];
const SUGGESTIONS = 'time-zones';

const kindOf = (chosen: string | null): string => (chosen === null ? BROWSER : chosen === UTC ? UTC : OTHER);

/** Chooses the time zone of all dates in this browser. */
export function TimeZoneSection() {
  const chosen = useChosenTimeZone();
  const now = useNow();
  const [asking, setAsking] = useState(false);
  const kind = asking ? OTHER : kindOf(chosen);
  const choose = (next: string): void => {
    setAsking(next === OTHER);
    if (next !== OTHER) setTimeZone(next === UTC ? UTC : null);
  };
  return (
    <div id="time-zone" className="scroll-mt-16">
      <Section
        title="Dates"
        description="The time zone of all dates in this browser. Quotas and figures per day are always in UTC."
      >
        <div className="flex max-w-sm flex-col gap-4">
          <Field label="Time zone" hint={`It is now ${formatTime(new Date(now).toISOString())}.`}>
            {(control) => (
              <Select
                {...control}
                value={kind}
                options={OPTIONS}
                onChange={({ target }) => choose(target.value)}
              />
            )}
          </Field>
          {kind === OTHER ? <OtherZone /> : null}
        </div>
      </Section>
    </div>
  );
}

/** A name of the IANA database. It applies on Enter, and when the field loses the focus. */
function OtherZone() {
  const [typed, setTyped] = useState(timeZone);
  const [error, setError] = useState<string | null>(null);
  const apply = (name: string): void => {
    const valid = isTimeZone(name);
    setError(valid ? null : 'This browser knows no such time zone. Enter a name such as Asia/Kolkata.');
    if (valid && name !== timeZone()) setTimeZone(name);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply(typed.trim());
      }}
    >
      <TextField
        label="Name of the zone"
        hint="A name of the IANA database, such as Asia/Kolkata."
        list={SUGGESTIONS}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        error={error}
        onBlur={() => apply(typed.trim())}
        onChange={(name) => {
          setTyped(name);
          setError(null);
        }}
      />
      <datalist id={SUGGESTIONS}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </form>
  );
}
