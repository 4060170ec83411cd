import { pascalCase, type Resource } from '../resources/define.ts';

/** Names of the parts of the document: schemas have the names of the wire types, operations a verb and a noun. */

export const listSchemaName = ({ type }: Resource): string => `${type}List`;

export const listOperationId = ({ name }: Resource): string => `list${pascalCase(name)}`;
export const getOperationId = ({ type }: Resource): string => `get${type}`;
export const countOperationId = ({ name }: Resource): string => `count${pascalCase(name)}`;

export const newSchemaName = ({ type }: Resource): string => `New${type}`;
export const patchSchemaName = ({ type }: Resource): string => `${type}Patch`;
export const newBatchSchemaName = ({ type }: Resource): string => `New${type}Batch`;
export const batchSchemaName = ({ type }: Resource): string => `${type}Batch`;

export const createOperationId = ({ type }: Resource): string => `create${type}`;
export const batchOperationId = ({ type }: Resource): string => `create${type}Batch`;
export const updateOperationId = ({ type }: Resource): string => `update${type}`;
export const deleteOperationId = ({ type }: Resource): string => `delete${type}`;
