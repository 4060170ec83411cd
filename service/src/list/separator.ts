/** JSON text never contains a raw line break, so this text separates docs exactly. */
export const DOC_SEPARATOR = ',\n';
