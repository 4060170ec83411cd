import type { ComponentProps } from 'react';
import { classes } from '../classes.ts';

/** Classes of all inputs and selects. */
export const CONTROL_CLASS =
  'w-full min-w-0 rounded-md border border-edge bg-surface px-2.5 text-ink shadow-low transition-colors ' +
  'hover:border-soft aria-invalid:border-bad focus-visible:outline-offset-0 disabled:opacity-60';

export const Input = ({ className, ...props }: ComponentProps<'input'>) => (
  <input {...props} className={classes(CONTROL_CLASS, 'h-8', className)} />
);

export const Textarea = ({ className, ...props }: ComponentProps<'textarea'>) => (
  <textarea {...props} className={classes(CONTROL_CLASS, 'min-h-20 py-1.5', className)} />
);
