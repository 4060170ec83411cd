export { type Cell, type CsvRow, csvReader, ROW_CELLS_MAX, ROW_MAX_LINES } from './csv.ts';
export { LINE_MAX_BYTES, LINES_AT_ONCE, type Line, readLines } from './lines.ts';
