import { type CompleteResource, pascalCase } from '@svc/sdk/contract';

/** Names of the parts of the document: schemas have the names of the wire types, operations a verb and a noun. */

export const listSchemaName = ({ type }: CompleteResource): string => `${type}List`;

export const listOperationId = ({ name }: CompleteResource): string => `list${pascalCase(name)}`;
export const getOperationId = ({ type }: CompleteResource): string => `get${type}`;
export const exportOperationId = ({ name }: CompleteResource): string => `export${pascalCase(name)}`;
export const streamOperationId = ({ name }: CompleteResource): string => `stream${pascalCase(name)}`;
export const countOperationId = ({ name }: CompleteResource): string => `count${pascalCase(name)}`;

export const newSchemaName = ({ type }: CompleteResource): string => `New${type}`;
export const patchSchemaName = ({ type }: CompleteResource): string => `${type}Patch`;
export const newBatchSchemaName = ({ type }: CompleteResource): string => `New${type}Batch`;
export const batchSchemaName = ({ type }: CompleteResource): string => `${type}Batch`;

export const createOperationId = ({ type }: CompleteResource): string => `create${type}`;
export const batchOperationId = ({ type }: CompleteResource): string => `create${type}Batch`;
export const updateOperationId = ({ type }: CompleteResource): string => `update${type}`;
export const deleteOperationId = ({ type }: CompleteResource): string => `delete${type}`;

export const putOperationId = ({ type }: CompleteResource): string => `put${type}`;
export const updateBatchOperationId = ({ type }: CompleteResource): string => `update${type}Batch`;
export const deleteBatchOperationId = ({ type }: CompleteResource): string => `delete${type}Batch`;
export const patchBatchSchemaName = ({ type }: CompleteResource): string => `${type}PatchBatch`;
export const wholeSchemaName = ({ type }: CompleteResource): string => `Whole${type}`;
/** The ids of a batch of deletions. */
export const IDS_SCHEMA = 'IdBatch';
export const OPERATIONS_SCHEMA = 'Operations';
export const RESULTS_SCHEMA = 'OperationResults';
