export { type Cell, csvReader, ROW_CELLS_MAX, ROW_MAX_LINES } from './csv.ts';
export { readItems } from './items.ts';
export { LINE_MAX_BYTES, type Line } from './line.ts';
export { LINES_AT_ONCE, readLines } from './lines.ts';
export { type Columns, csvParser, type ParsedRecord, type RecordParser } from './records.ts';
export { utf8Of } from './utf8.ts';
