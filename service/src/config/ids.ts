import { typeidUnboxed } from 'typeid-js';

/** Prefixes of the TypeIDs that the service gives (docs/assumptions.md, Resources). */
export type IdPrefix = 'aud' | 'men' | 'con' | 'com' | 'key' | 'wks' | 'log' | 'imp';

/** A new id such as `aud_01h455vb4pex5vsknk084sn02q`: unique, and rising with time. */
export const newId = (prefix: IdPrefix): string => typeidUnboxed(prefix);
