export { createStatements, type ReadStatement, type Statements } from './service.ts';
export { exactDollars, type Wallet } from './statement.ts';
