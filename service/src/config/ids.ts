import type { Contract } from '@svc/sdk/contract';
import { typeidUnboxed } from 'typeid-js';

/** Prefixes of the TypeIDs that the service creates (docs/assumptions.md, Records). */
export type IdPrefix = Contract[keyof Contract]['idPrefix'] | 'wks' | 'imp' | 'whe' | 'evt';

/** A new id such as `aud_01h455vb4pex5vsknk084sn02q`: unique, and later ids sort after it. */
export const newId = (prefix: IdPrefix): string => typeidUnboxed(prefix);
