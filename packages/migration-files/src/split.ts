/** Comments, strings, names in quotes and texts in dollar quotes, in which a semicolon ends nothing. */
const TOKENS = /--.*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|;|[\s\S]/g;

/**
 * The statements of a migration, one by one: Citus sends the text of some to the workers as it is, so it must have one
 * statement. Each begins with as many empty lines as it has lines before it, so that a position has the line of the file.
 */
export function splitStatements(sql: string): readonly string[] {
  const statements: string[] = [];
  let start = 0;
  for (const { 0: token, index } of sql.matchAll(TOKENS)) {
    if (token !== ';') continue;
    statements.push(withLinesBefore(sql, start, index + 1));
    start = index + 1;
  }
  if (sql.slice(start).replaceAll(/--.*|\s/g, '') !== '')
    statements.push(withLinesBefore(sql, start, sql.length));
  return statements;
}

/**
 * The parts of a migration, after each of which new tables get their places. In a cluster, a table cannot refer to a
 * distributed table before it is one, so a migration creates its tables first, and adds their foreign keys after the line
 * `-- distribute`.
 */
export function partsOfMigration(sql: string): readonly string[] {
  const ends = [...sql.matchAll(/^-- distribute$/gm)].map(({ 0: mark, index }) => ({
    end: index,
    next: index + mark.length,
  }));
  return [...ends, { end: sql.length, next: 0 }].map(({ end }, i) =>
    withLinesBefore(sql, ends[i - 1]?.next ?? 0, end),
  );
}

const withLinesBefore = (sql: string, start: number, end: number): string =>
  '\n'.repeat(sql.slice(0, start).split('\n').length - 1) + sql.slice(start, end);
