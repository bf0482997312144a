export { createStatements, type ReadStatement, type Statements } from './service.ts';
export type { Wallet } from './statement.ts';
