import { declaredStatements } from '../../src/database/statement.ts';
import { EXEMPT } from './exempt.ts';
import { type Fault, faultsOf } from './faults.ts';
import type { Schema } from './schema.ts';

/**
 * The statements that are declared so far, those of families when they were needed, and their faults without the exempt
 * ones.
 */
export function checkDeclared(schema: Schema): {
  readonly checked: number;
  readonly faults: readonly (Fault & { readonly statement: string })[];
} {
  const texts = [...declaredStatements].flatMap(([name, { names }]) =>
    [...names].map(([sql, statement]) => ({ sql, statement, allowed: EXEMPT.get(name) ?? [] })),
  );
  const faults = texts.flatMap(({ sql, statement, allowed }) =>
    faultsOf(sql, schema)
      .filter(({ rule }) => !allowed.includes(rule))
      .map((fault) => ({ statement, ...fault })),
  );
  return { checked: texts.length, faults };
}
